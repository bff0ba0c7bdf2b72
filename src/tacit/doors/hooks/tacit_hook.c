/* tacit-hook AGENT [EVENT]: the client that agents call for every hook. It passes the payload on standard
   input to the helper process over a Unix socket, and prints the answer. If the helper does not answer
   soon, answers brokenly or is somebody else's process, `tacit hook` does the work instead.
   `tacit connect` compiles this file with -DTACIT="/path/of/tacit" and -DBUILT="version and path". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#define MOST (10 * 1024 * 1024) /* bytes of a payload; the rest is read and dropped */
#define SILENT_MS 200           /* a helper that says nothing for so long is not waited for */
#define WHOLE_MS 300            /* nor one that takes longer than this in all */
#define QUIET_MS 300            /* a sender that keeps its end open has said everything once its JSON is complete */
#define SLOW_MS 4000

extern char **environ;
static char *payload, answer[1024 * 1024];
static size_t size;

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000L + t.tv_nsec / 1000000L;
}

/* Whether the braces outside of strings are balanced: enough to see that no more is to come. */
static int is_whole(void)
{
    long depth = 0;
    int inside = 0;
    for (size_t i = 0; i < size; i++) {
        char c = payload[i];
        if (inside && c == '\\') i++;
        else if (c == '"') inside = !inside;
        else if (!inside) depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return size > 0 && depth == 0 && !inside;
}

/* Read standard input to its end. Returns 0 if there is no memory for it. */
static int read_payload(void)
{
    size_t room = 0;
    long until = now_ms() + SLOW_MS;
    static char dropped[65536];
    for (;;) {
        struct pollfd in = {0, POLLIN, 0};
        int over = now_ms() >= until, ready = poll(&in, 1, over ? 0 : QUIET_MS);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0 && (over || is_whole())) return 1;
        if (ready <= 0) continue;
        if (size == room && !(payload = realloc(payload, room = room ? room * 2 : 65536))) return 0;
        int full = size > MOST;
        ssize_t got = full ? read(0, dropped, sizeof dropped) : read(0, payload + size, room - size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || (full && over)) return 1;
        size += full ? 0 : (size_t)got;
    }
}

/* Whether a variable of ours is set that the helper, which has its own, would not know about. */
static int has_own_settings(void)
{
    static const char *known[] = {"TACIT_HOME=", "TACIT_LOG=", "TACIT_OFF=", 0};
    for (char **at = environ; *at; at++) {
        int fine = strncmp(*at, "TACIT_", 6) != 0;
        for (const char **name = known; *name && !fine; name++) fine = strncmp(*at, *name, strlen(*name)) == 0;
        if (!fine) return 1;
    }
    return 0;
}

static int is_mine(int line)
{
#ifdef SO_PEERCRED
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(line, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
#else
    uid_t user;
    gid_t group;
    return getpeereid(line, &user, &group) == 0 && user == geteuid();
#endif
}

static int wait_for(int line, short what, long until)
{
    long left = until - now_ms();
    struct pollfd one = {line, what, 0};
    return poll(&one, 1, (int)(left < 0 ? 0 : left < SILENT_MS ? left : SILENT_MS)) == 1;
}

/* Write a text; to a socket, no later than a time. */
static int put(int line, const char *text, size_t length, long until)
{
    while (length) {
        ssize_t sent = !until || wait_for(line, POLLOUT, until) ? write(line, text, length) : -1;
        if (sent <= 0) return 0;
        text += sent;
        length -= (size_t)sent;
    }
    return 1;
}

/* The first line: `hook AGENT [EVENT] [off=1] cwd=PERCENT-ENCODED`. Returns its length, or 0 if it has no room. */
static size_t first_line(char *line, size_t room, const char *agent, const char *event)
{
    char cwd[4096];
    const char *off = getenv("TACIT_OFF");
    int head = snprintf(line, room, "hook %s %s%s cwd=", agent, event, off && *off && strcmp(off, "0") ? " off=1" : "");
    if (head < 0 || (size_t)head + 3 * sizeof cwd + 16 > room || !getcwd(cwd, sizeof cwd)) return 0;
    size_t at = (size_t)head;
    for (unsigned char *c = (unsigned char *)cwd; *c; c++) {
        int plain = ((*c | 32) >= 'a' && (*c | 32) <= 'z') || strchr("/._-0123456789", *c);
        at += (size_t)sprintf(line + at, plain ? "%c" : "%%%02X", *c);
    }
    line[at++] = '\n';
    return at;
}

/* Ask the helper, and print its answer. Returns 0 if there is none; nothing was printed then. */
static int has_answered(const char *agent, const char *event)
{
    static char line[16384];
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    const char *home = getenv("TACIT_HOME"), *user = getenv("HOME");
    int given = home && *home, length = snprintf(place.sun_path, sizeof place.sun_path, "%s%s/run/serve.sock",
                                                 given ? home : user ? user : "", given ? "" : "/.tacit");
    long until = now_ms() + WHOLE_MS;
    size_t head, got = 0;
    if (length < 0 || (size_t)length >= sizeof place.sun_path || place.sun_path[0] != '/' || size > MOST) return 0;
    if (has_own_settings() || !(head = first_line(line, sizeof line, agent, event))) return 0;
    int out = socket(AF_UNIX, SOCK_STREAM, 0);
    if (out < 0 || fcntl(out, F_SETFL, O_NONBLOCK) || fcntl(out, F_SETFD, FD_CLOEXEC)) return 0;
    if (connect(out, (struct sockaddr *)&place, sizeof place) || !is_mine(out)) return 0;
    if (!put(out, line, head, until) || !put(out, payload, size, until) || shutdown(out, SHUT_WR)) return 0;
    for (ssize_t some = 1; some; got += (size_t)some) {
        some = got < sizeof answer && wait_for(out, POLLIN, until) ? read(out, answer + got, sizeof answer - got) : -1;
        if (some < 0) return 0;
    }
    if (got < 3 || answer[0] != '{' || answer[got - 2] != '}' || answer[got - 1] != '\n') return 0;
    put(1, answer, got, 0); /* whether anybody listens or not */
    return 1;
}

/* Give the payload to standard input again, through a pipe that a child fills. */
static int rewind_input(void)
{
    int ends[2];
    if (pipe(ends)) return 0;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]), close(1), close(2);
        _exit(!put(ends[1], payload, size, 0));
    }
    int done = child > 0 && dup2(ends[0], 0) == 0;
    close(ends[0]), close(ends[1]);
    return done;
}

/* Whether something is about to run: by the event, or by the payload if no event was named. */
static int is_before(const char *event)
{
    static const char *names[] = {"PreToolUse", "BeforeTool", "beforeShellExecution", "tool.execute.before", 0};
    for (const char **name = names; *name; name++) {
        if (!strcasecmp(event, *name)) return 1;
        for (size_t at = 0, length = strlen(*name); !*event && at + length <= size; at++)
            if (!strncasecmp(payload + at, *name, length)) return 1;
    }
    return 0;
}

int main(int count, char **words)
{
    const char *agent = count > 1 ? words[1] : "claude", *event = count > 2 ? words[2] : "";
    const char *why = "its input could not be passed on";
    if (count > 1 && !strcmp(agent, "--version")) return puts(BUILT) < 0;
    signal(SIGPIPE, SIG_IGN);
    int plain = *agent && strlen(agent) < 40 && strlen(event) < 40 && !strpbrk(agent, " \t\n") && !strpbrk(event, " \t\n=");
    int whole = read_payload();
    if (whole && plain && has_answered(agent, event)) return 0;
    if (whole && rewind_input()) {
        signal(SIGPIPE, SIG_DFL);
        execl(TACIT, TACIT, "hook", agent, event, "--asked", (char *)0);
        why = TACIT " cannot be started; install tacit again, or remove its hooks";
    }
    if (!is_before(event)) return puts("{}") < 0; /* nothing is about to run */
    fprintf(stderr, "tacit could not judge this: %s\n", why);
    return 2; /* every agent takes this for a refusal with the reason above */
}
