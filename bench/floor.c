/* The floor that a stream reader is set against: epoll, read, stamp, store. It parses nothing and keeps every stamp.
 *
 * floor PORT STREAMS < request   prints one line of JSON: reads, bytes, cpu_us (from the first request to the last end).
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 1024, ROOM = 65536, REQUEST = 1 << 20 };

typedef struct {
    int fd;
    int64_t *stamps;
    size_t reads, room;
} stream;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t cpu_us(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static int connected(int port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) fail("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return fd;
}

static void keep(stream *s, int64_t stamp) {
    if (s->reads == s->room) {
        s->room = s->room ? 2 * s->room : 256;
        if (!(s->stamps = realloc(s->stamps, s->room * sizeof *s->stamps))) fail("realloc");
    }
    s->stamps[s->reads++] = stamp;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    int port = atoi(argv[1]), streams = atoi(argv[2]), live = streams, poll = epoll_create1(0);
    static char request[REQUEST], data[ROOM];
    ssize_t size = (ssize_t)fread(request, 1, sizeof request, stdin);
    stream *all = calloc((size_t)streams, sizeof *all);
    for (int i = 0; i < streams; i++) {
        struct epoll_event want = {.events = EPOLLIN, .data = {.ptr = &all[i]}};
        all[i].fd = connected(port);
        if (epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &want)) fail("epoll_ctl");
    }
    int64_t start = cpu_us(), bytes = 0, reads = 0;
    for (int i = 0; i < streams; i++)
        if (write(all[i].fd, request, (size_t)size) != size) fail("write");
    while (live) {
        struct epoll_event ready[BATCH];
        int n = epoll_wait(poll, ready, BATCH, -1);
        for (int i = 0; i < n; i++) {
            stream *s = ready[i].data.ptr;
            ssize_t got = read(s->fd, data, sizeof data);
            keep(s, now());
            if (got > 0) bytes += got;
            if (got <= 0 || (got >= 5 && !memcmp(data + got - 5, "0\r\n\r\n", 5))) {
                close(s->fd);
                live--;
            }
        }
    }
    int64_t used = cpu_us() - start;
    for (int i = 0; i < streams; i++) reads += (int64_t)all[i].reads;
    printf("{\"reads\": %lld, \"bytes\": %lld, \"cpu_us\": %lld}\n", (long long)reads, (long long)bytes, (long long)used);
    return 0;
}
