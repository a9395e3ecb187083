/*
 * A minimal gateway for benchmarks, so fast that it does not affect the measured times. Supports only the HTTP that the
 * benchmark sends, with a content-length header. For a body with "bench":"CHUNKSxMS" it streams that many chunks at this
 * interval, each with its send time. Prints `port N` first, then `left NS` (a time) for each stream that a client closes
 * early. Exits when its standard input ends.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 1024, KEPT_BYTES = 8192, READ_BYTES = 256 * 1024, EVENTS = 64 };

typedef struct {
  char kept[KEPT_BYTES + 1]; /* start of the request: headers and body */
  long kept_bytes, read_bytes, whole_bytes;
  int chunks_left;
  long every_ns, next_ns;
} Connection;

static Connection *connections[MAX_CONNECTIONS];
static char read_buffer[READ_BYTES];
static char answer[2048];
static char *answer_id;
static unsigned long answers;
static int poll_fd, timer_fd;

static long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void make_answer(void) {
  char content[512] = "", body[1024];
  for (int i = 0; i < 12; i++) strcat(content, "Hello to the bench. ");
  sprintf(body,
          "{\"id\":\"chatcmpl-0123456789abcdef0123456789abcdef\",\"object\":\"chat.completion\",\"created\":1,"
          "\"model\":\"bench\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"%s\"},"
          "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":40,\"total_tokens\":60,"
          "\"prompt_tokens_details\":{\"cached_tokens\":0}}}",
          content);
  sprintf(answer,
          "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_1\r\n"
          "date: Sat, 21 Nov 2026 22:00:00 GMT\r\ncontent-length: %zu\r\n\r\n%s",
          strlen(body), body);
  answer_id = strstr(answer, "chatcmpl-") + strlen("chatcmpl-");
}

/* Responses are small, so a client that cannot receive one at once is disconnected. */
static void put(int fd, const char *text) {
  long length = strlen(text);
  if (send(fd, text, length, MSG_NOSIGNAL) != length) shutdown(fd, SHUT_RDWR);
}

/* Each response has a unique id, like those of real gateways. */
static void put_answer(int fd) {
  char id[33];
  sprintf(id, "%032lx", ++answers);
  memcpy(answer_id, id, 32);
  put(fd, answer);
}

static int put_chunk(char *to, const char *text) { return sprintf(to, "%zx\r\n%s\r\n", strlen(text), text); }

static int put_event(char *to, const char *rest) {
  char text[512];
  sprintf(text,
          "data: {\"id\":\"chatcmpl-0123456789abcdef0123456789abcdef\",\"object\":\"chat.completion.chunk\","
          "\"created\":1,\"model\":\"bench\",%s}\n\n",
          rest);
  return put_chunk(to, text);
}

/* Sets the timer to the time at which the next chunk of any stream is due. */
static void set_timer(void) {
  long next = 0;
  for (int fd = 0; fd < MAX_CONNECTIONS; fd++) {
    Connection *connection = connections[fd];
    if (connection && connection->chunks_left > 0 && (next == 0 || connection->next_ns < next)) next = connection->next_ns;
  }
  struct itimerspec when = {.it_value = {next / 1000000000L, next % 1000000000L}};
  timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static void send_chunk(int fd, Connection *connection) {
  char bytes[2048], rest[128];
  sprintf(rest, "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"@%020ld@\"},\"finish_reason\":null}]", now_ns());
  put_event(bytes, rest);
  put(fd, bytes);
  if (--connection->chunks_left > 0) return;
  int length = put_event(bytes, "\"choices\":[],\"usage\":{\"prompt_tokens\":20,\"completion_tokens\":40,"
                                "\"total_tokens\":60,\"prompt_tokens_details\":{\"cached_tokens\":0}}");
  length += put_chunk(bytes + length, "data: [DONE]\n\n");
  strcpy(bytes + length, "0\r\n\r\n");
  put(fd, bytes);
}

static void send_due_chunks(void) {
  unsigned long expirations;
  if (read(timer_fd, &expirations, sizeof expirations) < 0) return;
  long now = now_ns();
  for (int fd = 0; fd < MAX_CONNECTIONS; fd++) {
    Connection *connection = connections[fd];
    if (!connection || connection->chunks_left == 0 || connection->next_ns > now) continue;
    connection->next_ns += connection->every_ns;
    send_chunk(fd, connection);
  }
  set_timer();
}

static void respond(int fd, Connection *connection) {
  char *order = strstr(connection->kept, "\"bench\":\"");
  int chunks, every_ms;
  if (!order || sscanf(order, "\"bench\":\"%dx%d\"", &chunks, &every_ms) != 2) {
    put_answer(fd);
    return;
  }
  put(fd, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n"
          "transfer-encoding: chunked\r\n\r\n");
  connection->chunks_left = chunks;
  connection->every_ns = every_ms * 1000000L;
  /* Random delay, so that streams which start together do not send at the same times. */
  connection->next_ns = now_ns() + (long)(drand48() * connection->every_ns);
  send_chunk(fd, connection);
  set_timer();
}

static void leave(int fd) {
  if (connections[fd]->chunks_left > 0) {
    printf("left %ld\n", now_ns());
    fflush(stdout);
  }
  free(connections[fd]);
  connections[fd] = NULL;
  close(fd);
  set_timer();
}

static void receive(int fd) {
  Connection *connection = connections[fd];
  long count = read(fd, read_buffer, READ_BYTES);
  if (count < 0 && errno == EAGAIN) return;
  if (count <= 0) {
    leave(fd);
    return;
  }
  long kept = count < KEPT_BYTES - connection->kept_bytes ? count : KEPT_BYTES - connection->kept_bytes;
  memcpy(connection->kept + connection->kept_bytes, read_buffer, kept);
  connection->kept_bytes += kept;
  connection->kept[connection->kept_bytes] = 0;
  connection->read_bytes += count;
  if (connection->whole_bytes == 0) {
    char *end = strstr(connection->kept, "\r\n\r\n");
    if (!end) return;
    char *length = strcasestr(connection->kept, "\r\ncontent-length:");
    connection->whole_bytes = end + 4 - connection->kept + (length && length < end ? atol(length + 17) : 0);
  }
  if (connection->read_bytes < connection->whole_bytes) return;
  connection->kept_bytes = connection->read_bytes = connection->whole_bytes = 0;
  respond(fd, connection);
}

static void watch(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, fd, &event) < 0 && fd != STDIN_FILENO) fail("epoll_ctl");
}

static void take_connection(int server) {
  int fd = accept4(server, NULL, NULL, SOCK_NONBLOCK);
  if (fd < 0) return;
  if (fd >= MAX_CONNECTIONS) {
    close(fd);
    return;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  connections[fd] = calloc(1, sizeof(Connection));
  watch(fd);
}

static int listen_on_free_port(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int server = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (bind(server, (struct sockaddr *)&address, size) < 0 || listen(server, MAX_CONNECTIONS) < 0) fail("listen");
  getsockname(server, (struct sockaddr *)&address, &size);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);
  return server;
}

int main(void) {
  make_answer();
  poll_fd = epoll_create1(0);
  timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  int server = listen_on_free_port();
  watch(server);
  watch(timer_fd);
  watch(STDIN_FILENO);
  for (;;) {
    struct epoll_event events[EVENTS];
    int count = epoll_wait(poll_fd, events, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      int fd = events[i].data.fd;
      if (fd == STDIN_FILENO) return 0;
      if (fd == server) take_connection(server);
      else if (fd == timer_fd) send_due_chunks();
      else if (connections[fd]) receive(fd);
    }
  }
}
