CREATE TABLE `message` (
          `id` text PRIMARY KEY,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_message_session_id_session_id_fk` FOREIGN KEY (`session_id`) REFERENCES `session`(`id`) ON DELETE CASCADE
        );
INSERT INTO "message" VALUES('msg_1e0f5feb6001Xj4DRP8oqbXv3C','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775580342,1794775600994,'{"role":"user","time":{"created":1794775580342},"agent":"build","model":{"providerID":"fake","modelID":"fake-model"},"summary":{"diffs":[]}}');
INSERT INTO "message" VALUES('msg_1e0f611f0001HSM7IDVmRUPdgg','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775585279,1794775593713,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775585279,"completed":1794775593707},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1e0f632ff0012Tgm3IaCONAx2j','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775593727,1794775595315,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775593727,"completed":1794775595314},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1e0f63942001xfS3QX6EBv6yvN','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775595330,1794775596225,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775595330,"completed":1794775596224},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1e0f63cc40014zrxQ8or2MUEqy','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596228,1794775596861,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775596228,"completed":1794775596860},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1e0f63f410013bhGInKFY9yNL8','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596865,1794775597325,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775596865,"completed":1794775597316},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1e0f6411d001U59DiYytWef4Ef','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775597341,1794775598483,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775597341,"completed":1794775598482},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1e0f645ac0011SvSrVOeJeO5As','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775598509,1794775600515,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775598509,"completed":1794775600513},"finish":"tool-calls"}');
INSERT INTO "message" VALUES('msg_1e0f64da2001xijbGmgz69bDCG','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775600546,1794775601683,'{"parentID":"msg_1e0f5feb6001Xj4DRP8oqbXv3C","role":"assistant","mode":"build","agent":"build","path":{"cwd":"/scratch/home-oc/proj","root":"/scratch/home-oc/proj"},"cost":0,"tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"modelID":"fake-model","providerID":"fake","time":{"created":1794775600546,"completed":1794775601682},"finish":"stop"}');
CREATE TABLE `part` (
          `id` text PRIMARY KEY,
          `message_id` text NOT NULL,
          `session_id` text NOT NULL,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `data` text NOT NULL,
          CONSTRAINT `fk_part_message_id_message_id_fk` FOREIGN KEY (`message_id`) REFERENCES `message`(`id`) ON DELETE CASCADE
        );
INSERT INTO "part" VALUES('prt_1e0f5fed3001GJJi8la3Jeh6uh','msg_1e0f5feb6001Xj4DRP8oqbXv3C','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775580397,1794775580399,'{"type":"text","text":"\"try things\""}');
INSERT INTO "part" VALUES('prt_1e0f62bcd001jqbMHdtkjHZMam','msg_1e0f611f0001HSM7IDVmRUPdgg','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775591885,1794775591896,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f62bdb001yKP5jA3Q58VwJT','msg_1e0f611f0001HSM7IDVmRUPdgg','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775591899,1794775592762,'{"type":"tool","tool":"bash","callID":"call_d69c1300ed5042c5","state":{"status":"completed","input":{"command":"ls /nonexistent-zzz"},"output":"ls: cannot access ''/nonexistent-zzz'': No such file or directory\n","metadata":{"output":"ls: cannot access ''/nonexistent-zzz'': No such file or directory\n","exit":2,"truncated":false},"title":"ls /nonexistent-zzz","time":{"start":1794775591971,"end":1794775592736}}}');
INSERT INTO "part" VALUES('prt_1e0f630260010TwfIklvn46qpQ','msg_1e0f611f0001HSM7IDVmRUPdgg','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775592999,1794775593015,'{"reason":"tool-calls","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1e0f635fd0018kFYn65rbqRi7g','msg_1e0f632ff0012Tgm3IaCONAx2j','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775594493,1794775594495,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f6360a001sXSg5dQ4UgPWZF','msg_1e0f632ff0012Tgm3IaCONAx2j','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775594506,1794775594706,'{"type":"tool","tool":"bash","callID":"call_6a332e3e01a84e93","state":{"status":"completed","input":{"command":"exit 3"},"output":"(no output)","metadata":{"output":"(no output)","exit":3,"truncated":false},"title":"exit 3","time":{"start":1794775594565,"end":1794775594704}}}');
INSERT INTO "part" VALUES('prt_1e0f637b8001umH9iQy6N2Cx4e','msg_1e0f632ff0012Tgm3IaCONAx2j','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775594936,1794775594946,'{"reason":"tool-calls","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1e0f63ae40014FFR1zAnIhyiqe','msg_1e0f63942001xfS3QX6EBv6yvN','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775595748,1794775595764,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f63b090010fMw4WQwLuYppc','msg_1e0f63942001xfS3QX6EBv6yvN','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775595785,1794775595982,'{"type":"tool","tool":"bash","callID":"call_0887cd32cc51444a","state":{"status":"completed","input":{"command":"git psuh"},"output":"git: ''psuh'' is not a git command. See ''git --help''.\n\nThe most similar command is\n\tpush\n","metadata":{"output":"git: ''psuh'' is not a git command. See ''git --help''.\n\nThe most similar command is\n\tpush\n","exit":1,"truncated":false},"title":"git psuh","time":{"start":1794775595832,"end":1794775595980}}}');
INSERT INTO "part" VALUES('prt_1e0f63c99001Fslsh3aa32GTfn','msg_1e0f63942001xfS3QX6EBv6yvN','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596186,1794775596187,'{"reason":"tool-calls","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1e0f63dac001cFm2kLvh1IittP','msg_1e0f63cc40014zrxQ8or2MUEqy','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596460,1794775596461,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f63daf001PawsaaRNitjBk5','msg_1e0f63cc40014zrxQ8or2MUEqy','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596463,1794775596583,'{"type":"tool","tool":"bash","callID":"call_7dfeee09a35b4089","state":{"status":"completed","input":{"command":"echo good; echo ''Exit code 5''"},"output":"good\nExit code 5\n","metadata":{"output":"good\nExit code 5\n","exit":0,"truncated":false},"title":"echo good; echo ''Exit code 5''","time":{"start":1794775596487,"end":1794775596582}}}');
INSERT INTO "part" VALUES('prt_1e0f63eee0015cyEC00b52BR7l','msg_1e0f63cc40014zrxQ8or2MUEqy','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596782,1794775596784,'{"reason":"tool-calls","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1e0f63fa4001xPisrW2Op5vvhY','msg_1e0f63f410013bhGInKFY9yNL8','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596964,1794775596966,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f63fa7001hhPohz6p47jPgj','msg_1e0f63f410013bhGInKFY9yNL8','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775596967,1794775597017,'{"type":"tool","tool":"bash","callID":"call_5bee36294868455c","state":{"status":"completed","input":{"command":"grep -q zzz package.json"},"output":"(no output)","metadata":{"output":"(no output)","exit":1,"truncated":false},"title":"grep -q zzz package.json","time":{"start":1794775596978,"end":1794775597016}}}');
INSERT INTO "part" VALUES('prt_1e0f6400a001RqzPVpIrKBQvRq','msg_1e0f63f410013bhGInKFY9yNL8','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775597066,1794775597068,'{"reason":"tool-calls","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1e0f64293001tXBT4NNmedhPUM','msg_1e0f6411d001U59DiYytWef4Ef','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775597716,1794775597718,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f64299001jscphreLbycrRY','msg_1e0f6411d001U59DiYytWef4Ef','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775597722,1794775597928,'{"type":"tool","tool":"bash","callID":"call_0dfae7c5effc40c3","state":{"status":"completed","input":{"command":"cat package.json | head -3"},"output":"{\n  \"name\": \"scratch\",\n  \"version\": \"1.0.0\",\n","metadata":{"output":"{\n  \"name\": \"scratch\",\n  \"version\": \"1.0.0\",\n","exit":0,"truncated":false},"title":"cat package.json | head -3","time":{"start":1794775597778,"end":1794775597927}}}');
INSERT INTO "part" VALUES('prt_1e0f64419001xdg2UqotKwAkK5','msg_1e0f6411d001U59DiYytWef4Ef','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775598105,1794775598107,'{"reason":"tool-calls","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1e0f6479a001cqaXz95xiIwmsn','msg_1e0f645ac0011SvSrVOeJeO5As','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775599002,1794775599004,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f647b1001Tb5IbCgO6J5L2b','msg_1e0f645ac0011SvSrVOeJeO5As','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775599025,1794775599859,'{"type":"tool","tool":"bash","callID":"call_493fa44cc4bd4be5","state":{"status":"completed","input":{"command":"cd sub && npm run biuld"},"output":"npm error Missing script: \"biuld\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\nnpm error A complete log of this run can be found in: /scratch/home-oc/.npm/_logs/2026-11-15T20_46_39_678Z-debug-0.log\n","metadata":{"output":"npm error Missing script: \"biuld\"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run\nnpm error A complete log of this run can be found in: /scratch/home-oc/.npm/_logs/2026-11-15T20_46_39_678Z-debug-0.log\n","exit":1,"truncated":false},"title":"cd sub && npm run biuld","time":{"start":1794775599151,"end":1794775599857}}}');
INSERT INTO "part" VALUES('prt_1e0f64c94001tRLcNddAiuSxGV','msg_1e0f645ac0011SvSrVOeJeO5As','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775600276,1794775600283,'{"reason":"tool-calls","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
INSERT INTO "part" VALUES('prt_1e0f64ff5001qPYzAwErcp8Tzs','msg_1e0f64da2001xijbGmgz69bDCG','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775601142,1794775601143,'{"snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-start"}');
INSERT INTO "part" VALUES('prt_1e0f650020011szLFFa2p8jBgN','msg_1e0f64da2001xijbGmgz69bDCG','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775601154,1794775601174,'{"type":"text","text":"Several commands ran.","time":{"start":1794775601154,"end":1794775601166}}');
INSERT INTO "part" VALUES('prt_1e0f6510c001iBTMFJuR5roi82','msg_1e0f64da2001xijbGmgz69bDCG','ses_e1f0a032cffe6cgE8iXMv7k0mg',1794775601423,1794775601428,'{"reason":"stop","snapshot":"a69295d18fda53688dd797d85d222ca32be7e9fe","type":"step-finish","tokens":{"total":15,"input":10,"output":5,"reasoning":0,"cache":{"write":0,"read":0}},"cost":0}');
CREATE TABLE `project` (
          `id` text PRIMARY KEY,
          `worktree` text NOT NULL,
          `vcs` text,
          `name` text,
          `icon_url` text,
          `icon_url_override` text,
          `icon_color` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_initialized` integer,
          `sandboxes` text NOT NULL,
          `commands` text
        );
INSERT INTO "project" VALUES('7455d1ac3e1aa309ff0967a5cdc3cfa289467f01','/scratch/home-oc/proj','git',NULL,NULL,NULL,NULL,1794775576026,1794776996594,NULL,'[]',NULL);
CREATE TABLE `session` (
          `id` text PRIMARY KEY,
          `project_id` text NOT NULL,
          `workspace_id` text,
          `parent_id` text,
          `slug` text NOT NULL,
          `directory` text NOT NULL,
          `path` text,
          `title` text NOT NULL,
          `version` text NOT NULL,
          `share_url` text,
          `summary_additions` integer,
          `summary_deletions` integer,
          `summary_files` integer,
          `summary_diffs` text,
          `metadata` text,
          `cost` real DEFAULT 0 NOT NULL,
          `tokens_input` integer DEFAULT 0 NOT NULL,
          `tokens_output` integer DEFAULT 0 NOT NULL,
          `tokens_reasoning` integer DEFAULT 0 NOT NULL,
          `tokens_cache_read` integer DEFAULT 0 NOT NULL,
          `tokens_cache_write` integer DEFAULT 0 NOT NULL,
          `revert` text,
          `permission` text,
          `agent` text,
          `model` text,
          `time_created` integer NOT NULL,
          `time_updated` integer NOT NULL,
          `time_compacting` integer,
          `time_archived` integer,
          CONSTRAINT `fk_session_project_id_project_id_fk` FOREIGN KEY (`project_id`) REFERENCES `project`(`id`) ON DELETE CASCADE
        );
INSERT INTO "session" VALUES('ses_e1f0a032cffe6cgE8iXMv7k0mg','7455d1ac3e1aa309ff0967a5cdc3cfa289467f01',NULL,NULL,'silent-lagoon','/scratch/home-oc/proj','','ok','1.18.33',NULL,0,0,0,NULL,NULL,0.0,80,40,0,0,0,NULL,'[{"permission":"question","pattern":"*","action":"deny"},{"permission":"plan_enter","pattern":"*","action":"deny"},{"permission":"plan_exit","pattern":"*","action":"deny"}]','build','{"id":"fake-model","providerID":"fake","variant":"default"}',1794775579859,1794775601782,NULL,NULL);
