/*
 * A minimal load generator. Sends the same request over several connections, and again on each connection as soon as the
 * response is complete. Reads jobs from standard input: a line `PORT CONNECTIONS MS BYTES` and the bytes of the request.
 * Prints a line of JSON per job with `perSecond`, `p50Us`, `p99Us` and `failed` (responses other than 200), or with
 * `error`. Supports only responses whose headers arrive in one read, with a content-length, or chunked and ending at the
 * end of a read. Exits when its standard input ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 256, MAX_ANSWERS = 1 << 21, MESSAGE_BYTES = 1 << 20, READ_BYTES = 64 * 1024 };

typedef struct {
  int fd, status, is_chunked;
  long missing, sent_ns;
} Connection;

static Connection connections[MAX_CONNECTIONS];
static float took_us[MAX_ANSWERS];
static char message[MESSAGE_BYTES];
static char bytes[READ_BYTES + 1];
static long message_bytes, answers, failed;
static int poll_fd;

static long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static int ask(Connection *connection) {
  connection->sent_ns = now_ns();
  return send(connection->fd, message, message_bytes, MSG_NOSIGNAL) == message_bytes;
}

static const char *open_connection(Connection *connection, int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  *connection = (Connection){.fd = socket(AF_INET, SOCK_STREAM, 0)};
  setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  epoll_ctl(poll_fd, EPOLL_CTL_ADD, connection->fd, &event);
  int is_open = connect(connection->fd, (struct sockaddr *)&address, sizeof address) == 0;
  return is_open && ask(connection) ? NULL : "A connection was refused.";
}

static const char *read_head(Connection *connection) {
  char *end = strstr(bytes, "\r\n\r\n");
  if (!end) return "Response headers arrived in parts.";
  *end = 0;
  char *length = strcasestr(bytes, "\r\ncontent-length:");
  connection->is_chunked = strcasestr(bytes, "\r\ntransfer-encoding: chunked") != NULL;
  if (!length && !connection->is_chunked) return "A response had no length.";
  connection->status = atoi(bytes + strlen("HTTP/1.1 "));
  connection->missing = end + 4 - bytes + (length ? atol(length + strlen("\r\ncontent-length:")) : 0);
  *end = '\r';
  return NULL;
}

/* Reads a part of a response. Sets `is_whole` when the response is complete. */
static const char *receive(Connection *connection, int *is_whole) {
  long count = read(connection->fd, bytes, READ_BYTES);
  if (count <= 0) return "A response was truncated.";
  bytes[count] = 0;
  const char *error = connection->missing == 0 ? read_head(connection) : NULL;
  int is_last = count >= 5 && memcmp(bytes + count - 5, "0\r\n\r\n", 5) == 0;
  connection->missing = connection->is_chunked ? !is_last : connection->missing - count;
  if (connection->missing < 0) return "A response was longer than its length.";
  *is_whole = connection->missing == 0;
  return error;
}

static void count_answer(const Connection *connection) {
  took_us[answers++] = (now_ns() - connection->sent_ns) / 1e3f;
  if (connection->status != 200) failed++;
}

static const char *load(int port, int flights, long duration_ns) {
  long end_ns = now_ns() + duration_ns;
  int open = 0;
  answers = failed = 0;
  for (; open < flights; open++) {
    const char *error = open_connection(&connections[open], port);
    if (error) return error;
  }
  while (open > 0) {
    struct epoll_event events[MAX_CONNECTIONS];
    int count = epoll_wait(poll_fd, events, MAX_CONNECTIONS, -1);
    for (int i = 0; i < count; i++) {
      Connection *connection = events[i].data.ptr;
      int is_whole = 0;
      const char *error = receive(connection, &is_whole);
      if (error) return error;
      if (!is_whole) continue;
      count_answer(connection);
      if (now_ns() < end_ns && answers < MAX_ANSWERS - flights) {
        if (!ask(connection)) return "A request could not be sent.";
      } else {
        close(connection->fd);
        open--;
      }
    }
  }
  return NULL;
}

static int by_size(const void *a, const void *b) {
  float difference = *(const float *)a - *(const float *)b;
  return (difference > 0) - (difference < 0);
}

int main(void) {
  int port, flights;
  long duration_ms;
  poll_fd = epoll_create1(0);
  while (scanf("%d %d %ld %ld", &port, &flights, &duration_ms, &message_bytes) == 4 && getchar() == '\n') {
    if (flights > MAX_CONNECTIONS || message_bytes > MESSAGE_BYTES) return 1;
    if (fread(message, 1, message_bytes, stdin) != (size_t)message_bytes) return 1;
    long started_ns = now_ns();
    const char *error = load(port, flights, duration_ms * 1000000L);
    double seconds = (now_ns() - started_ns) / 1e9;
    qsort(took_us, answers, sizeof took_us[0], by_size);
    if (error) printf("{\"error\":\"%s\"}\n", error);
    else printf("{\"perSecond\":%.1f,\"p50Us\":%.2f,\"p99Us\":%.2f,\"failed\":%ld}\n", answers / seconds,
                took_us[(answers - 1) / 2], took_us[(answers - 1) * 99 / 100], failed);
    fflush(stdout);
  }
}
