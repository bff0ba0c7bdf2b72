/* tacit-hook AGENT [EVENT]: the client that agents call for every hook.

   It passes the payload on standard input to the helper process over a Unix socket, and prints the answer. If the
   helper does not answer soon, answers brokenly or is somebody else's process, `tacit hook` does the work instead.
   `tacit connect` compiles this file with -DTACIT="/path/of/tacit" and -DBUILT="version and path". */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
#define MOST_ANSWER (1024 * 1024)
#define SILENT_MS 200 /* a helper that says nothing for so long is not waited for */
#define WHOLE_MS 300  /* nor one that takes longer than this in all */
#define QUIET_MS 300  /* a sender that keeps its end open has said everything once its JSON is complete */
#define SLOW_MS 4000

extern char **environ;
static char *payload;
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
        if (inside) {
            if (c == '\\') i++;
            else if (c == '"') inside = 0;
        } else if (c == '"') inside = 1;
        else if (c == '{' || c == '[') depth++;
        else if (c == '}' || c == ']') depth--;
    }
    return size > 0 && depth == 0 && !inside;
}

/* Read standard input to its end. Returns 0 if there is no memory for it. */
static int read_payload(void)
{
    size_t room = 1 << 16;
    long until = now_ms() + SLOW_MS;
    char dropped[65536];
    if (!(payload = malloc(room))) return 0;
    for (;;) {
        struct pollfd in = {0, POLLIN, 0};
        int over = now_ms() >= until, ready = poll(&in, 1, over ? 0 : QUIET_MS);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            if (over || is_whole()) return 1;
            continue;
        }
        if (size > MOST) {
            if (over || read(0, dropped, sizeof dropped) <= 0) return 1;
            continue;
        }
        if (size == room) {
            char *more = realloc(payload, room * 2);
            if (!more) return 0;
            payload = more;
            room *= 2;
        }
        ssize_t got = read(0, payload + size, room - size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 1;
        size += (size_t)got;
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

static int send_all(int line, const char *text, size_t length, long until)
{
    while (length) {
        ssize_t sent = wait_for(line, POLLOUT, until) ? send(line, text, length, MSG_NOSIGNAL) : -1;
        if (sent <= 0) return 0;
        text += sent;
        length -= (size_t)sent;
    }
    return 1;
}

/* The first line: `hook AGENT [EVENT] [off=1] [cwd=PERCENT-ENCODED]`. Returns its length, or 0 if it has no room. */
static size_t first_line(char *line, size_t room, const char *agent, const char *event)
{
    char cwd[4096];
    const char *off = getenv("TACIT_OFF");
    int head = snprintf(line, room, "hook %s %s%s", agent, event, off && *off && strcmp(off, "0") ? " off=1" : "");
    if (head < 0 || (size_t)head + 3 * sizeof cwd + 16 > room) return 0;
    size_t at = (size_t)head;
    if (getcwd(cwd, sizeof cwd)) {
        at += (size_t)sprintf(line + at, " cwd=");
        for (unsigned char *c = (unsigned char *)cwd; *c; c++)
            if ((*c | 32) >= 'a' && (*c | 32) <= 'z') line[at++] = (char)*c;
            else at += (size_t)sprintf(line + at, strchr("/._-0123456789", *c) ? "%c" : "%%%02X", *c);
    }
    line[at++] = '\n';
    return at;
}

/* Ask the helper, and print its answer. Returns 0 if there is none; nothing was printed then. */
static int is_served(const char *agent, const char *event)
{
    static char line[16384], answer[MOST_ANSWER];
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    const char *home = getenv("TACIT_HOME"), *user = getenv("HOME");
    int length = home && *home ? snprintf(place.sun_path, sizeof place.sun_path, "%s/run/serve.sock", home)
                               : snprintf(place.sun_path, sizeof place.sun_path, "%s/.tacit/run/serve.sock", user ? user : "");
    long until = now_ms() + WHOLE_MS;
    size_t head, got = 0;
    if (length < 0 || (size_t)length >= sizeof place.sun_path || place.sun_path[0] != '/' || size > MOST) return 0;
    if (has_own_settings() || !(head = first_line(line, sizeof line, agent, event))) return 0;
    int out = socket(AF_UNIX, SOCK_STREAM, 0);
    if (out < 0 || fcntl(out, F_SETFL, O_NONBLOCK) || fcntl(out, F_SETFD, FD_CLOEXEC)) return 0;
    if (connect(out, (struct sockaddr *)&place, sizeof place) || !is_mine(out)) return 0;
    if (!send_all(out, line, head, until) || !send_all(out, payload, size, until) || shutdown(out, SHUT_WR)) return 0;
    for (;;) {
        ssize_t some = got < sizeof answer && wait_for(out, POLLIN, until) ? read(out, answer + got, sizeof answer - got) : -1;
        if (some < 0) return 0;
        if (some == 0) break;
        got += (size_t)some;
    }
    if (got < 3 || answer[0] != '{' || answer[got - 2] != '}' || answer[got - 1] != '\n') return 0;
    for (size_t at = 0; at < got;) {
        ssize_t put = write(1, answer + at, got - at);
        if (put <= 0) break; /* nobody listens */
        at += (size_t)put;
    }
    return 1;
}

int main(int count, char **words)
{
    const char *agent = count > 1 ? words[1] : "claude", *event = count > 2 ? words[2] : "";
    if (count > 1 && !strcmp(agent, "--version")) return puts(BUILT) < 0;
    int plain = *agent && strlen(agent) < 40 && strlen(event) < 40 && !strpbrk(agent, " \t\n") && !strpbrk(event, " \t\n=");
    int whole = read_payload();
    if (whole && plain && is_served(agent, event)) return 0;
    FILE *kept = tmpfile();
    if (kept && fwrite(payload, 1, size, kept) == size && !fflush(kept) && lseek(fileno(kept), 0, SEEK_SET) == 0)
        if (dup2(fileno(kept), 0) == 0) execl(TACIT, TACIT, "hook", agent, event, "--no-helper", (char *)0);
    if (strcasecmp(event, "PreToolUse") && strcasecmp(event, "BeforeTool") && strcmp(event, "beforeShellExecution"))
        return puts("{}") < 0; /* nothing is about to run */
    fprintf(stderr, "tacit could not judge this: %s cannot be started. Install tacit again, or remove its hooks.\n", TACIT);
    return 2; /* every agent takes this for a refusal with the reason above */
}
