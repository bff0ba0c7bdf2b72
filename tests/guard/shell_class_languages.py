"""The classes of languages: programs on the command line that start others, in every way the language has to quote.

Forms of languages that could be installed were run; julia, octave, deno, bun and a few more are from their manuals.
"""

from __future__ import annotations

from tests.guard.shell_classes import ShellClass, block

FORMATTED = "a text that is filled in before it runs may be anything"
GIVEN = "what comes from a variable, an argument or the input may be anything"
COMPUTED = "what a program computes before it runs it is worth a question whatever it turns out to be"

PERL = ShellClass(
    "perl",
    block(r"""
«w»perl -e «q:system(«perl:«p»»)»
«w»perl -e «q:system(«perl:«p»»);»
perl -e «q:system «perl:«p»»;»
perl -we «q:use strict; exec(«perl:«p»»)»
perl -E «q:say qx«perlq:«p»»»
perl -e «q:print `«p»`»
perl -e «q:`«p»`»
perl -e «q:my $x = qx «perlq:«p»»;»
perl -le «q:print for qx«perlq:«p»»»
perl -e «q:system qw«perlq:«words»»»
perl -e «q:system(qw«perlq:«words»»)»
perl -e «q:exec qw «perlq:«words»»»
perl -e «q:system(«list:«words»»)»
perl -e «q:exec {"«prog»"} «list:«words»»»
perl -e «q:my @a=qw«perlq:«words»»; system {$a[0]} @a»
perl -e «q:@a=(«list:«words»»); exec @a»
perl -e «q:open(F, "-|", «perl:«p»»); print <F>»
perl -e «q:open(my $f, "|-", «perl:«p»»)»
perl -e «q:open F, "«p» |"; print <F>»
perl -e «q:open(F, q«perlq:«p» |»); print <F>»
perl -e «q:open(F, "|sh"); print F «perl:«p»»»
perl -e «q:eval q«perlq:system("«p»")»»
perl -e «q:eval "system(q(«p»))"»
perl -e «q:my $c=«perl:«p»»; system($c)»
perl -e «q:$c=«perl:«p»»; `$c`»
perl -e «q:$c=«perl:«p»»; print qx{$c}»
perl -e «q:CORE::system(«perl:«p»»)»
perl -e «q:BEGIN { system(«perl:«p»») }»
perl -e «q:END { system(«perl:«p»») }»
perl -e «q:sub f { system(@_) } f(«perl:«p»»)»
perl -e «q:$_=«perl:«p»»; system $_»
perl -e «q:system(<<E);⏎«p»⏎E⏎»
perl -e «q:system(<<'E');⏎«p»⏎E⏎»
perl -e «q:system <<~E;⏎   «p»⏎   E⏎»
perl -e «q:exec("sh","-c",«perl:«p»»)»
perl -e «q:fork || exec «perl:«p»»; wait»
perl -e «q:unless(system(«perl:«p»»)) {}»
perl -e «q:1; # x⏎system(«perl:«p»»)»
perl -e 'print 1;' -e «q:system(«perl:«p»»)»
echo x | perl -ne «q:system(«perl:«p»»)»
echo x | perl -pe «q:s|x|`«p»`|e»
echo x | perl -pe «q:s{x}{system("«p»")}e»
echo x | perl -pe «q:s!x!qx(«p»)!ge»
echo x | perl -lane «q:exec «perl:«p»» if /x/»
perl -MPOSIX -e «q:system(«perl:«p»»)»
perl -MIPC::Open3 -e «q:waitpid(open3(my $i, my $o, undef, «perl:«p»»), 0)»
perl -Mstrict -Mwarnings -e «q:exit system(«perl:«p»»)»
perl <<'«d»'⏎system(«perl:«p»»);⏎«d»
perl - <<'«d»'⏎my $x = `«p»`;⏎«d»
echo «q:system(«perl:«p»»)» | perl
"""),
    {
        COMPUTED: block(r"""
perl -e «q:system(«perlx:«p»»)»
perl -e «q:my $c=«perlx:«p»»; exec $c»
perl -e «q:print `${\«perlx:«p»»}`»
perl -e «q:my $f="sys"."tem"; eval "$f(q(«p»))"»
perl -e «q:system($ARGV[0])» «q:«p»»
perl -e «q:system(@ARGV)» «words»
perl -e «q:exec join " ", @ARGV» -- «words»
C=«q:«p»» perl -e 'system($ENV{C})'
echo «q:«p»» | perl -e 'system(<STDIN>)'
perl -e «q:$x = ""; $x =~ s!^!system("«p»")!e»
""")
    },
    block(r"""
perl -e 'print "rm -rf ~"'
perl -e 'print q{git push --force}, "\n"'
perl -ne 'print if /x/' f
perl -pe 's/a/b/g' f
perl -lane 'print $F[0]' f
perl -MList::Util=sum -e 'print sum(1..3)'
perl -v
perl -e 'my @a = qw(rm -rf x); print scalar @a'
perl -0777 -ne 'print length' f
perl -e 'printf "%s\n", join ",", map { $_ * 2 } 1..3'
perl -c x.pl
"""),
)

RUBY = ShellClass(
    "ruby",
    block(r"""
«w»ruby -e «q:system(«ruby:«p»»)»
«w»ruby -e «q:system «ruby:«p»»»
ruby -e «q:exec(«ruby:«p»»)»
ruby -e «q:Process.wait spawn(«ruby:«p»»)»
ruby -e «q:puts `«p»`»
ruby -e «q:`«p»`»
ruby -e «q:puts %x«rubyq:«p»»»
ruby -e «q:x = %x«rubyq:«p»»»
ruby -e «q:Kernel.system(«ruby:«p»»)»
ruby -e «q:Kernel.exec «ruby:«p»»»
ruby -e «q:Kernel::system(«ruby:«p»»)»
ruby -e «q:IO.popen(«ruby:«p»»).read»
ruby -e «q:IO.popen(«ruby:«p»») { |f| puts f.read }»
ruby -e «q:IO.popen([«list:«words»»]).read»
ruby -e «q:IO.popen(%w«rubyq:«words»»).read»
ruby -e «q:open("| «p»").read»
ruby -e «q:system(*%w«rubyq:«words»»)»
ruby -e «q:system(«list:«words»»)»
ruby -e «q:exec(*(«ruby:«words»»).split)»
ruby -e «q:system("sh", "-c", «ruby:«p»»)»
ruby -ropen3 -e «q:Open3.capture2(«ruby:«p»»)»
ruby -ropen3 -e «q:puts Open3.capture3(«list:«words»»)»
ruby -e «q:require "open3"; Open3.popen3(«ruby:«p»») { |*x| x[3].value }»
ruby -e «q:c = «ruby:«p»»; system(c)»
ruby -e «q:c = «ruby:«p»»; puts `#{c}`»
ruby -e «q:c = %w«rubyq:«words»»; system(*c)»
ruby -e «q:eval %q«rubyq:system("«p»")»»
ruby -e «q:system(<<E)⏎«p»⏎E⏎»
ruby -e «q:system <<~E⏎  «p»⏎E⏎»
ruby -e «q:BEGIN { system(«ruby:«p»») }»
ruby -e «q:END { exec «ruby:«p»» }»
ruby -e «q:at_exit { system(«ruby:«p»») }»
ruby -e «q:1.times { system(«ruby:«p»») }»
ruby -e 'puts 1' -e «q:system(«ruby:«p»»)»
echo x | ruby -ne «q:system(«ruby:«p»»)»
echo x | ruby -pe «q:$_ = `«p»`»
ruby -W0 -e «q:exit system(«ruby:«p»»)»
ruby <<'«d»'⏎system(«ruby:«p»»)⏎«d»
echo «q:system(«ruby:«p»»)» | ruby
ruby -e «q:def f(x) = system(x); f(«ruby:«p»»)»
ruby -e «q:Process.wait(Process.spawn(«ruby:«p»»))»
ruby -e «q:fork { exec «ruby:«p»» }; Process.wait»
"""),
    {
        COMPUTED: block(r"""
ruby -e «q:system(«rubyx:«p»»)»
ruby -e «q:c = «rubyx:«p»»; exec c»
ruby -e «q:puts `#{«rubyx:«p»»}`»
ruby -e «q:Kernel.send(:system, «ruby:«p»»)»
ruby -e «q:send("sys"+"tem", «ruby:«p»»)»
ruby -e «q:method(:system).call(«ruby:«p»»)»
ruby -e «q:[«ruby:«p»»].each(&method(:system))»
ruby -e «q:system(ARGV[0])» «q:«p»»
ruby -e «q:system(*ARGV)» «words»
C=«q:«p»» ruby -e 'system(ENV["C"])'
echo «q:«p»» | ruby -e 'system(gets)'
""")
    },
    block(r"""
ruby -e 'puts "rm -rf ~"'
ruby -e 'puts %w[rm -rf x].size'
ruby -ne 'puts $_ if /x/' f
ruby -v
ruby -rjson -e 'puts JSON.parse(STDIN.read)["a"]' < x.json
ruby -e 'p (1..3).map { |x| x * 2 }'
ruby -c x.rb
ruby -e 'puts %q{git push --force}'
"""),
)

PHP = ShellClass(
    "php",
    block(r"""
«w»php -r «q:system(«php:«p»»);»
php -r «q:exec(«php:«p»»);»
php -r «q:echo shell_exec(«php:«p»»);»
php -r «q:passthru(«php:«p»»);»
php -r «q:echo `«p»`;»
php -r «q:`«p»`;»
php -r «q:$x = `«p»`;»
php -r «q:pclose(popen(«php:«p»», "r"));»
php -r «q:proc_close(proc_open(«php:«p»», [], $x));»
php -r «q:proc_close(proc_open([«list:«words»»], [], $x));»
php -r «q:$c=«php:«p»»; system($c);»
php -r «q:$c=«php:«p»»; echo `$c`;»
php -r «q:$c = "«p»"; passthru("$c");»
php -r «q:eval("system(\"«p»\");");»
php -r «q:\system(«php:«p»»);»
php -r «q:SYSTEM(«php:«p»»);»
php -r «q:@system(«php:«p»»);»
php -r «q:if (1) { exec(«php:«p»», $out); }»
php -r «q:system(<<<'E'⏎«p»⏎E);»
php -r «q:system(<<<E⏎   «p»⏎   E);»
php -n -r «q:system(«php:«p»»);»
php -d x=1 -r «q:system(«php:«p»»);»
echo x | php -R «q:system(«php:«p»»);»
echo x | php -B «q:system(«php:«p»»);» -R ';'
echo x | php -R ';' -E «q:system(«php:«p»»);»
echo «q:<?php system(«php:«p»»);» | php
echo «q:<?=`«p»`?>» | php
php <<'«d»'⏎<?php⏎system(«php:«p»»);⏎«d»
php -r «q:function f($x) { system($x); } f(«php:«p»»);»
php -r «q:system(implode(" ", [«list:«words»»]));»
"""),
    {
        COMPUTED: block(r"""
php -r «q:system(«phpx:«p»»);»
php -r «q:$c = «phpx:«p»»; passthru($c);»
php -r «q:echo shell_exec(«phpx:«p»»);»
php -r «q:$f="system"; $f(«php:«p»»);»
php -r «q:$f="sys"."tem"; $f(«php:«p»»);»
php -r «q:("system")(«php:«p»»);»
php -r «q:call_user_func("system", «php:«p»»);»
php -r «q:array_map("system", [«php:«p»»]);»
php -r «q:system($argv[1]);» «q:«p»»
C=«q:«p»» php -r 'system(getenv("C"));'
echo «q:«p»» | php -r 'system(fgets(STDIN));'
php -r «q:(new ReflectionFunction("system"))->invoke(«php:«p»»);»
""")
    },
    block(r"""
php -r 'echo "rm -rf ~";'
php -v
php -l x.php
php -r 'echo json_encode([1, 2]);'
php artisan list
php -r 'print_r(explode(" ", "git push --force"));'
php -i | grep memory
"""),
)

PYTHON = ShellClass(
    "python",
    block(r"""
«w»python3 -c «q:import os; os.system(«py:«p»»)»
«w»python -c «q:import os⏎os.system(«py:«p»»)»
python3 -c «q:__import__("os").system(«py:«p»»)»
python3 -c «q:import os; print(os.popen(«py:«p»»).read())»
python3 -c «q:from os import system; system(«py:«p»»)»
python3 -c «q:from os import system as s; s(«py:«p»»)»
python3 -c «q:import os as o; o.system(«py:«p»»)»
python3 -c «q:from os import *; system(«py:«p»»)»
python3 -c «q:import subprocess; subprocess.run(«py:«p»», shell=True)»
python3 -c «q:import subprocess as sp; sp.call(«py:«p»», shell=1)»
python3 -c «q:import subprocess; subprocess.check_output(«py:«p»», shell=True)»
python3 -c «q:import subprocess; subprocess.Popen(«py:«p»», shell=True).wait()»
python3 -c «q:import subprocess; subprocess.getoutput(«py:«p»»)»
python3 -c «q:import subprocess; subprocess.run([«list:«words»»])»
python3 -c «q:import subprocess; subprocess.check_call((«list:«words»»))»
python3 -c «q:import subprocess; subprocess.run((«py:«words»»).split())»
python3 -c «q:import subprocess, shlex; subprocess.run(shlex.split(«py:«words»»))»
python3 -c «q:import subprocess; subprocess.run(["sh", "-c", «py:«p»»])»
python3 -c «q:from subprocess import run; run([«list:«words»»], check=True)»
python3 -c «q:from subprocess import *; call(«py:«p»», shell=True)»
python3 -c «q:import subprocess; subprocess.run(args=[«list:«words»»])»
python3 -c «q:import subprocess; c = [«list:«words»»]; subprocess.run(c)»
python3 -c «q:import subprocess; subprocess.run(input=b"«p»", args=["sh"])»
python3 -c «q:import os; c=«py:«p»»; os.system(c)»
python3 -c «q:import os; f=os.system; f(«py:«p»»)»
python3 -c «q:import os; os.execvp("«prog»", [«list:«words»»])»
python3 -c «q:import os; os.execlp("sh", "sh", "-c", «py:«p»»)»
python3 -c «q:import os; os.spawnvp(os.P_WAIT, "«prog»", [«list:«words»»])»
python3 -c «q:import os; os.spawnlp(0, "sh", "sh", "-c", «py:«p»»)»
python3 -c «q:import os; os.posix_spawnp("«prog»", [«list:«words»»], os.environ)»
python3 -c «q:import pty; pty.spawn([«list:«words»»])»
python3 -c «q:import asyncio; asyncio.run(asyncio.create_subprocess_shell(«py:«p»»))»
python3 -c «q:import os⏎for x in [«py:«p»»]: os.system(x)»
python3 -c «q:import os⏎def f(): os.system(«py:«p»»)⏎f()»
python3 -c «q:import os; [os.system(x) for x in [«py:«p»»]]»
python3 -c «q:import os; (lambda: os.system(«py:«p»»))()»
python3 -c «q:exec("import os; os.system('«p»')")»
python3 -c «q:eval("__import__('os').system('«p»')")»
python3 -c «q:import os; getattr(os, "system")(«py:«p»»)»
python3 -c «q:import os; getattr(os, "sys" + "tem")(«py:«p»»)»
python3 -c «q:import importlib; importlib.import_module("os").system(«py:«p»»)»
python3 -Ic «q:import os; os.system(«py:«p»»)»
python3 -Bc«q:import os; os.system(«py:«p»»)»
python3 -u -W ignore -c «q:import os; os.system(«py:«p»»)»
python3 - <<'«d»'⏎import os⏎os.system(«py:«p»»)⏎«d»
echo «q:import os; os.system(«py:«p»»)» | python3
echo «q:import os; os.system(«py:«p»»)» | python3 -
python3 <<< «q:import os; os.system(«py:«p»»)»
python3 -m timeit -n 1 -r 1 «q:import os; os.system(«py:«p»»)»
python3 -m timeit -n1 -r1 -s «q:import os; os.system(«py:«p»»)» pass
"""),
    {
        FORMATTED: block(r"""
python3 -c «q:import os; x=«py:«p»»; os.system(f"{x}")»
python3 -c «q:import os; os.system("%s" % «py:«p»»)»
python3 -c «q:import os; os.system("{}".format(«py:«p»»))»
python3 -c «q:exec(compile("import os; os.system('«p»')", "x", "exec"))»
"""),
        COMPUTED: block(r"""
python3 -c «q:import os; os.system(«pyx:«p»»)»
python3 -c «q:import subprocess; subprocess.run(«pyx:«p»», shell=True)»
python3 -c «q:import os; x=«pyx:«p»»; os.popen(x).read()»
python3 -c «q:import os; vars(os)["system"](«py:«p»»)»
python3 -c «q:import os; os.__dict__["sys"+"tem"](«py:«p»»)»
python3 -c «q:__builtins__.__import__("so"[::-1]).system(«py:«p»»)»
python3 -c «q:import base64; exec(base64.b64decode("«b64:import os; os.system('«p»')»"))»
python3 -c «q:exec(bytes.fromhex("«hex:import os; os.system('«p»')»"))»
python3 -c «q:import codecs; exec(codecs.decode("«rot13:import os; os.system('«p»')»", "rot13"))»
python3 -c «q:exec("".join(chr(ord(c)) for c in "import os; os.system('«p»')"))»
python3 -c «q:import sys; sys.modules["os"].system(«py:«p»»)»
python3 -c «q:import ctypes; ctypes.CDLL(None).system(b"«p»")»
python3 -c 'import os, sys; os.system(sys.argv[1])' «q:«p»»
python3 -c 'import subprocess, sys; subprocess.run(sys.argv[1:])' «words»
C=«q:«p»» python3 -c 'import os; os.system(os.environ["C"])'
python3 -c «q:import operator, os; operator.methodcaller("system", «py:«p»»)(os)»
python3 -c «q:import os; list(map(os.system, [«py:«p»»]))»
python3 -c «q:import runpy, os; os.system.__call__(«py:«p»»)»
"""),
    },
    block(r"""
python3 -c 'print("rm -rf ~")'
python3 -c 'import os; print(os.getcwd())'
python3 -c 'import subprocess; print(subprocess.run(["git", "status"], capture_output=True).stdout)'
python3 -m json.tool x.json
python3 -c 'import sys; print(sys.version)'
python3 -m timeit 'sum(range(10))'
python3 - <<'E'⏎import json⏎print(json.dumps({"a": "rm -rf ~"}))⏎E
python3 -m pytest -q
python3 -c 'import base64; print(base64.b64decode("aGk="))'
python3 -c 'eval("1+1")'
python3 -c 'exec("print(1)")'
python3 -c 'print(getattr(str, "upper")("x"))'
python3 -c 'import shlex; print(shlex.split("git push --force"))'
"""),
)

NODE = ShellClass(
    "node",
    block(r"""
«w»node -e «q:require("child_process").execSync(«js:«p»»)»
«w»node --eval=«q:require("child_process").execSync(«js:«p»»)»
node --eval «q:require("child_process").execSync(«js:«p»»)»
node -p «q:require("child_process").execSync(«js:«p»»).toString()»
node -pe «q:require("child_process").execSync(«js:«p»»)+""»
node --print «q:require("child_process").execSync(«js:«p»»)»
node -e «q:require('child_process').exec(«js:«p»»)»
node -e «q:require(`child_process`).exec(«js:«p»», () => {})»
node -e «q:require("node:child_process").execSync(«js:«p»», {stdio: "inherit"})»
node -e «q:const {execSync} = require("child_process"); execSync(«js:«p»»)»
node -e «q:const { execSync: x } = require("child_process"); x(«js:«p»»)»
node -e «q:const cp = require("child_process"); cp.execSync(«js:«p»»)»
node -e «q:const c = «js:«p»»; require("child_process").execSync(c)»
node -e «q:require("child_process").spawnSync("«prog»", («js:«rest»»).split(" "))»
node -e «q:require("child_process").spawn("sh", ["-c", «js:«p»»])»
node -e «q:require("child_process").spawnSync("sh", ["-c", «js:«p»»], {stdio: "inherit"})»
node -e «q:require("child_process").spawn(«js:«p»», {shell: true})»
node -e «q:require("child_process").spawnSync(«js:«p»», [], {shell: true})»
node -e «q:require("child_process").execFileSync("sh", ["-c", «js:«p»»])»
node -e «q:require("child_process").execFile("bash", ["-c", "«p»"])»
node -e «q:const [a, ...b] = [«list:«words»»]; require("child_process").spawnSync(a, b)»
node -e «q:require("child_process").execSync(`${"«p»"}`)»
node -e «q:const {spawnSync: s} = require("child_process"); s("sh", ["-c", "«p»"])»
node -e «q:import("child_process").then(m => m.execSync(«js:«p»»))»
node -e «q:(async () => { (await import("node:child_process")).execSync(«js:«p»») })()»
node --input-type=module -e «q:import {execSync} from "child_process"; execSync(«js:«p»»)»
node --input-type=module -e «q:import * as cp from "node:child_process"; cp.execSync(«js:«p»»)»
node -e «q:module.require("child_process").execSync(«js:«p»»)»
node -e «q:eval("require('child_process').execSync('«p»')")»
node -e «q:[«js:«p»»].forEach(x => require("child_process").execSync(x))»
node -e «q:setTimeout(() => require("child_process").execSync(«js:«p»»), 1)»
node -e «q:require("util").promisify(require("child_process").exec)(«js:«p»»)»
node <<'«d»'⏎require("child_process").execSync(«js:«p»»)⏎«d»
node - <<'«d»'⏎const cp = require("child_process");⏎cp.execSync(«js:«p»»);⏎«d»
echo «q:require("child_process").execSync(«js:«p»»)» | node
echo «q:require("child_process").execSync(«js:«p»»)» | node -
"""),
    {
        COMPUTED: block(r"""
node -e «q:require("child_process").execSync(«jsx:«p»»)»
node -e «q:const c = «jsx:«p»»; require("child_process").execSync(c)»
node -p «q:require("child_process").execSync(«jsx:«p»»)+""»
node -e «q:require("child_" + "process").execSync(«js:«p»»)»
node -e «q:require("child_process")["exec" + "Sync"](«js:«p»»)»
node -e «q:require("child_process")["execSync"](«js:«p»»)»
node -e «q:new Function("r", "r('child_process').execSync('«p»')")(require)»
node -e «q:globalThis["re"+"quire"]; eval(Buffer.from("«b64:require("child_process").execSync("«p»")»","base64")+"")»
node -e 'require("child_process").execSync(process.argv[1])' «q:«p»»
C=«q:«p»» node -e 'require("child_process").execSync(process.env.C)'
node -e «q:require("vm").runInThisContext("(r)=>r('child_process').execSync('«p»')")(require)»
""")
    },
    block(r"""
node -e 'console.log("rm -rf ~")'
node -p '1 + 1'
node -p 'process.versions.node'
node --version
node -e 'console.log(`git push --force`)'
node -p 'JSON.stringify(require("./package.json").scripts)'
node --test
node -e 'const fs = require("fs"); console.log(fs.readFileSync("a.txt", "utf8"))'
node -e 'console.log(require("child_process").execSync("git status") + "")'
"""),
)

LUA = ShellClass(
    "lua",
    block(r"""
«w»lua5.4 -e «q:os.execute(«lua:«p»»)»
lua -e «q:os.execute(«lua:«p»»)»
lua -e «q:os.execute"«p»"»
lua -e «q:os.execute'«p»'»
lua -e «q:os.execute[[«p»]]»
lua -e «q:os.execute [=[«p»]=]»
lua -e «q:io.popen(«lua:«p»»):read("a")»
lua -e «q:io.popen[[«p»]]:close()»
lua -e «q:print(io.popen"«p»":read("*a"))»
lua -e «q:for l in io.popen(«lua:«p»»):lines() do print(l) end»
lua -e «q:local c = «lua:«p»» os.execute(c)»
lua -e «q:local c = «lua:«p»»; io.popen(c):close()»
lua -e «q:local x = os.execute; x(«lua:«p»»)»
lua -e «q:local o = os; o.execute(«lua:«p»»)»
lua -e «q:if true then os.execute(«lua:«p»») end»
lua -e «q:io.popen("sh", "w"):write(«lua:«p»»)»
lua -W -e «q:os.execute(«lua:«p»»)»
lua -e 'x=1' -e «q:os.execute(«lua:«p»»)»
lua -e«q:os.execute(«lua:«p»»)»
lua - <<'«d»'⏎os.execute(«lua:«p»»)⏎«d»
echo «q:os.execute(«lua:«p»»)» | lua -
"""),
    {
        COMPUTED: block(r"""
lua <(echo «q:os.execute(«lua:«p»»)»)
lua -e «q:os.execute(«luax:«p»»)»
lua -e «q:local c = «luax:«p»»; io.popen(c):close()»
lua -e «q:os["execute"](«lua:«p»»)»
lua -e «q:os["exe".."cute"](«lua:«p»»)»
lua -e «q:load([[os.execute("«p»")]])()»
lua -e «q:_G.os.execute(«lua:«p»»)»
lua -e «q:_G["os"]["execute"](«lua:«p»»)»
lua -e «q:require("os").execute(«lua:«p»»)»
lua -e «q:pcall(os.execute, «lua:«p»»)»
C=«q:«p»» lua -e 'os.execute(os.getenv("C"))'
""")
    },
    block(r"""
lua -e 'print("rm -rf ~")'
lua -v
lua -e 'print(os.time())'
lua -e 'print([[git push --force]])'
luac -p x.lua
lua -e 'for i = 1, 3 do print(i) end'
"""),
)

AWK = ShellClass(
    "awk",
    block(r"""
«w»awk «q:BEGIN{system(«awk:«p»»)}»
«w»gawk «q:BEGIN { system(«awk:«p»») }»
mawk «q:BEGIN {system("«head»" " " "«last»")}»
awk «q:BEGIN{c=«awk:«p»»; system(c)}»
awk «q:BEGIN{c=«awk:«p»»; c | getline x}»
awk «q:BEGIN{print «awk:«p»» | "sh"}»
awk «q:BEGIN{print «awk:«p»» | "/bin/sh"; close("/bin/sh")}»
awk «q:BEGIN{printf "%s\n", «awk:«p»» | "bash"}»
awk «q:BEGIN{"«p»" | getline}»
awk «q:BEGIN{"«p»" | getline x; print x}»
awk «q:BEGIN{while (("«p»" | getline l) > 0) print l}»
awk «q:BEGIN{if (system(«awk:«p»»)) print 1}»
awk «q:{system(«awk:«p»»)}» README.md
awk «q:END{system(«awk:«p»»)}» /dev/null
awk «q:/x/{system(«awk:«p»»)}» README.md
awk «q:NR==1 {print «awk:«p»» | "sh"}» README.md
awk -F: «q:{print $1; system(«awk:«p»»)}» README.md
echo x | awk «q:{print "«p»" | "sh"}»
gawk «q:BEGIN{print «awk:«p»» |& "sh"; close("sh", "to"); "sh" |& getline}»
gawk -e «q:BEGIN{system(«awk:«p»»)}»
gawk --source=«q:BEGIN{system(«awk:«p»»)}»
gawk --source «q:BEGIN{system(«awk:«p»»)}»
awk -f <(echo «q:BEGIN{system(«awk:«p»»)}»)
awk -f /dev/stdin <<'«d»'⏎BEGIN { system(«awk:«p»») }⏎«d»
echo «q:BEGIN{system(«awk:«p»»)}» > x.awk; awk -f x.awk
busybox awk «q:BEGIN{system(«awk:«p»»)}»
awk «q:BEGIN{system("sh -c '«p»'")}»
awk «q:BEGIN{print "x" > "«file»"}»
awk «q:{print > "«file»"}» README.md
"""),
    {
        GIVEN: block(r"""
awk «q:BEGIN{c="«head»"; c=c " «last»"; system(c)}»
awk «q:BEGIN{s="sh"; print «awk:«p»» | s}»
awk «q:function f(x) { return system(x) } BEGIN { f(«awk:«p»») }»
awk -v c=«q:«p»» 'BEGIN{system(c)}'
awk -vc=«q:«p»» 'BEGIN{print c | "sh"}'
awk 'BEGIN{system(c)} {system(c)}' c=«q:«p»» README.md
echo «q:«p»» | awk '{system($0)}'
echo «q:«p»» | awk '{print | "sh"}'
echo «q:«p»» | awk '{ print $0 | "/bin/sh" }'
echo «last» | awk «q:{system("«head» " $1)}»
echo «last» | awk «q:{print "«head» " $0}» | sh
"""),
        COMPUTED: block(r"""
gawk «q:BEGIN{system(sprintf("%s","«p»"))}»
awk «q:BEGIN{c=sprintf("%s %s","«head»","«last»"); print c | "sh"}»
C=«q:«p»» awk 'BEGIN{system(ENVIRON["C"])}'
gawk «q:BEGIN{f="system"; system(sprintf("%s %s", "«head»", "«last»"))}»
awk 'BEGIN{system(ARGV[1])}' «q:«p»»
awk «q:BEGIN{split("«p»", a, "#"); system(a[1])}»
awk «q:BEGIN{x="X«p»"; sub(/X/, "", x); system(x)}»
"""),
    },
    block(r"""
awk '{print $1}' f
awk -F, 'NR > 1 {s += $2} END {print s}' x.csv
awk 'BEGIN{print "rm -rf ~"}'
awk '/force/ {print "git push --force"}' f
awk '{print $1 | "sort -u"}' f
awk 'BEGIN{"date" | getline d; print d}'
awk '{print > "out.txt"}' f
awk -v n=3 'NR <= n' f
git log --oneline | awk '{print $1}'
"""),
)

SED = ShellClass(
    "sed",
    block(r"""
«w»sed «q:1e «p»» README.md
sed -n «q:1e «p»» README.md
sed «q:e «p»» README.md
sed «q:$e «p»» README.md
sed «q:/x/e «p»» README.md
sed -e «q:1e «p»» README.md
sed -e 's/a/b/' -e «q:1e «p»» README.md
sed --expression=«q:1e «p»» README.md
sed --quiet --expression «q:1e «p»» README.md
sed «q:s/a/b/;1e «p»» README.md
sed «q:1{e «p»⏎}» README.md
sed -E «q:1e «p»» README.md
sed -i «q:1e «p»» README.md
sed -i.bak «q:s|.*|«p»|e» README.md
echo x | sed «q:s|.*|«p»|e»
echo x | sed «q:s#x#«p»#e»
echo x | sed «q:s,x,«p»,ge»
echo x | sed -E «q:s!(x)!«p»!e»
echo x | sed -n «q:s|x|«p»|ep»
echo x | sed «q:s@x@«p»@1e»
echo x | sed «q:s|x|«p»|;e»
echo «q:«p»» | sed e
echo «q:«p»» | sed 'e'
echo «q:«p»» | sed '1e'
echo «q:«p»» | sed -n e
echo «q:«p»» | sed 's/^/ /e'
echo «q:«p»» | sed 's/x*//e'
echo «q:#«p»» | sed 's/^#//e'
sed e <<< «q:«p»»
sed -f <(echo «q:1e «p»») README.md
sed -f /dev/stdin README.md <<'«d»'⏎1e «p»⏎«d»
echo «q:1e «p»» > x.sed; sed -f x.sed README.md
sed «q:w «file»» README.md
sed -n «q:w «file»» README.md
sed «q:s/x/y/w «file»» README.md
sed -n «q:1,3w «file»» README.md
sed «q:/x/w«file»» README.md
find . -maxdepth 1 -name README.md -exec sed «q:1e «p»» {} \;
printf 'README.md' | xargs sed «q:1e «p»»
«v»=«q:1e «p»»; sed "$«v»" README.md
sed "1e $(echo «q:«p»»)" README.md
"""),
    {},
    block(r"""
sed 's/a/b/g' f
sed -n '1,5p' f
sed -i 's/force/dry-run/' f
sed -e 's/e/E/' -e '/x/d' f
sed 's/rm -rf ~/echo/' f
sed -E 's/(a)/\1e/' f
sed '1i rm -rf ~' f
sed -n '$=' f
sed 's|x|git push --force|' f
sed -n '/error/w errors.txt' app.log
sed '/^#/d' f
"""),
)

OTHERS = ShellClass(
    "tcl, R, julia, groovy, elixir, emacs and others",
    block(r"""
echo «q:exec «words»» | tclsh
echo «q:exec sh -c {«p»}» | tclsh
echo «q:exec sh -c "«p»"» | tclsh
echo «q:puts [exec sh -c {«p»}]» | tclsh
tclsh <<'«d»'⏎exec sh -c {«p»}⏎«d»
tclsh <<< «q:exec «words»»
tclsh <(echo «q:exec «words»»)
echo «q:close [open "|«words»"]» | tclsh
«w»expect -c «q:spawn «words»; expect eof»
expect -c «q:spawn sh -c {«p»}; expect eof»
expect -c «q:exec sh -c "«p»"»
expect -c «q:system {«p»}»
expect <<'«d»'⏎spawn sh -c "«p»"⏎expect eof⏎«d»
«w»Rscript -e «q:system(«str:«p»»)»
Rscript -e «q:system('«p»')»
Rscript --vanilla -e «q:invisible(system(«str:«p»», intern=TRUE))»
Rscript -e «q:system2("sh", c("-c", shQuote(«str:«p»»)))»
Rscript -e «q:system2("«prog»", c(«list:«rest»»))»
Rscript -e «q:eval(parse(text="system('«p»')"))»
Rscript -e «q:readLines(pipe(«str:«p»»))»
Rscript -e «q:base::system(«str:«p»»)»
Rscript -e «q:do.call(system, list(«str:«p»»))»
R -q -e «q:system(«str:«p»»)»
R --no-save --quiet -e «q:system(«str:«p»»)»
R --slave --no-save <<'«d»'⏎system(«str:«p»»)⏎«d»
«w»julia -e «q:run(`«words»`)»
julia -e «q:run(`sh -c "«p»"`)»
julia --eval=«q:run(`«words»`)»
julia -E «q:read(`«words»`, String)»
julia -e «q:run(Cmd([«list:«words»»]))»
julia -e «q:run(pipeline(`«words»`, devnull))»
julia -e «q:ccall(:system, Cint, (Cstring,), «str:«p»»)»
«w»groovy -e «q:"«words»".execute()»
groovy -e «q:println "«words»".execute().text»
groovy -e «q:["sh", "-c", "«p»"].execute()»
groovy -e «q:[«list:«words»»].execute().waitFor()»
groovy -e «q:Runtime.runtime.exec("«words»")»
groovy -e «q:Runtime.getRuntime().exec([«list:«words»»] as String[])»
groovy -e «q:new ProcessBuilder(«list:«words»»).start()»
«w»elixir -e «q:System.cmd("sh", ["-c", «str:«p»»])»
elixir -e «q:System.shell(«str:«p»»)»
elixir -e «q::os.cmd('«p»')»
elixir -e «q::os.cmd(~c"«p»")»
elixir -e «q:System.cmd("«prog»", ~w(«rest»))»
elixir -e «q:Port.open({:spawn, «str:«p»»}, []); Process.sleep(200)»
erl -noshell -eval «q:os:cmd("«p»"), halt().»
«w»emacs --batch --eval «q:(shell-command «str:«p»»)»
emacs -Q -batch -eval «q:(shell-command "«p»")»
emacs --batch --eval=«q:(shell-command "«p»")»
emacs --batch --eval «q:(call-process "sh" nil nil nil "-c" «str:«p»»)»
emacs --batch --eval «q:(call-process «strings:«prog»» nil nil nil «strings:«rest»»)»
emacs --batch --eval «q:(message (shell-command-to-string «str:«p»»))»
emacs --batch --eval «q:(process-lines «strings:«words»»)»
emacs -batch -execute «q:(call-process-shell-command «str:«p»»)»
emacsclient -e «q:(shell-command «str:«p»»)»
emacsclient --eval «q:(call-process-shell-command «str:«p»»)»
guile -c «q:(system «str:«p»»)»
guile -c «q:(system* «strings:«words»»)»
echo «q:syscmd(«p»)» | m4
echo «q:esyscmd(`«p»')» | m4
m4 <<< «q:syscmd(`«p»')»
sqlite3 x.db «q:.shell «p»»
sqlite3 x.db «q:.system «p»»
echo «q:.shell «p»» | sqlite3 x.db
sqlite3 x.db <<< «q:.sh «p»»
psql -c «q:\! «p»»
psql app <<'«d»'⏎\! «p»⏎«d»
mysql -e «q:\! «p»»
mysql app -e «q:system «p»»
gnuplot -e «q:system("«p»")»
gnuplot -e «q:!«p»»
octave --eval «q:system("«p»")»
osascript -e «q:do shell script "«p»"»
ghc -e «q:System.Process.callCommand "«p»"»
deno eval «q:new Deno.Command("sh", {args: ["-c", "«p»"]}).outputSync()»
bun -e «q:require("child_process").execSync("«p»")»
bun -e «q:Bun.spawnSync([«list:«words»»])»
"""),
    {
        GIVEN: block(r"""
echo «q:set c {«p»}; exec sh -c $c» | tclsh
julia -e «q:run(`sh -c $("«p»")`)»
""")
    },
    block(r"""
echo 'puts hi' | tclsh
expect -c 'puts hi'
Rscript -e 'print("rm -rf ~")'
Rscript -e 'summary(c(1, 2))'
julia -e 'println(1 + 1)'
julia -e 'println("rm -rf ~")'
groovy -e 'println 1'
elixir -e 'IO.puts("rm -rf ~")'
emacs --batch --eval '(message "rm -rf ~")'
emacs --batch -f batch-byte-compile x.el
guile -c '(display 1)'
sqlite3 x.db '.tables'
sqlite3 x.db 'select 1'
psql -c 'select 1'
mysql -e 'show tables'
echo 'define(a, b)a' | m4
gnuplot -e 'print 1'
"""),
)

LANGUAGES = (PERL, RUBY, PHP, PYTHON, NODE, LUA, AWK, SED, OTHERS)
