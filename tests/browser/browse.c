/* SPDX-License-Identifier: MIT */
/* Opens a page in a headless Chromium and does with it what a reader would:
 *
 *   browse CHROMIUM PAGE COMMAND ARGUMENT ...
 *
 * PAGE is a file, or an address that begins with http:
 *
 *   go PAGE           on to another one
 *   eval EXPRESSION   print its value, a promise's once it is kept; an expression that throws fails
 *   until EXPRESSION  wait until it is true, for 10 s at most
 *   data NAME FILE    make what is in a JSON file the page's global variable NAME
 *   key NAME          press a key: Tab, Enter, Space, ArrowRight ... or a letter
 *   type TEXT         press its keys
 *   tab EXPRESSION    press Tab until it is true, 200 times at most
 *   size WIDTHxHEIGHT of the window
 *   media light|dark|print
 *   language TAG      read the page anew, in a browser of that language
 *   scripts on|off    read the page anew, in a browser that runs scripts or does not
 *   shot FILE         a picture of the whole page, PNG
 *   pdf FILE          the page on paper
 *
 *   browse serve CHROMIUM SOCKET
 *
 * starts a browser that stays for as long as whoever called lives, CTest that is. With SOCKET in
 * the environment variable BROWSE_SOCKET, browse takes that browser, one page at a time. Without
 * one it starts its own, which costs more than twice the time of a page.
 *
 * Ends with 1, and a line for each on stderr, if the page logs an error or a warning, throws, or
 * asks for anything but itself, or, behind http:, for what another machine has. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temporary.h"

enum { READ_FD = 3, WRITE_FD = 4, PATIENCE = 100, BLOCK = 1 << 16 };

struct browser {
    pid_t pid;
    int to, from;
    char *unread; /* what has come, of which no message is made yet */
    size_t unread_size;
    char profile[TEMPORARY_PATH];
    char *context, *session, *page; /* the page's address */
    size_t own; /* how much of it all that it may ask for begins with */
    int calls, faults;
    bool loaded;
};

static struct browser the_browser = {.pid = -1}; /* for the end, however it comes */

static void end_browser(void)
{
    char *remove[] = {"rm", "-rf", the_browser.profile, NULL};

    if (the_browser.pid > 0) {
        kill(-the_browser.pid, SIGKILL);
        waitpid(the_browser.pid, NULL, 0);
    }
    if (*the_browser.profile && fork() == 0)
        execvp(remove[0], remove);
    while (wait(NULL) > 0)
        ;
}

static void on_signal(int number)
{
    static const char text[] = "browse: no answer from the browser\n";

    if (number == SIGALRM && write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        _exit(2);
    end_browser();
    _exit(2);
}

static void fail(const char *what)
{
    fprintf(stderr, "browse: %s\n", what);
    exit(2);
}

/* --- Messages, each ended by a 0 -------------------------------------------------------------- */

static void send_message(struct browser *browser, const char *method, json_t *parameters)
{
    json_t *message = json_pack("{s:i, s:s, s:o}", "id", ++browser->calls, "method", method,
                                "params", parameters ? parameters : json_object());
    char *text;
    size_t size, sent = 0;

    if (browser->session)
        json_object_set_new(message, "sessionId", json_string(browser->session));
    text = json_dumps(message, JSON_COMPACT);
    size = strlen(text) + 1;
    while (sent < size) {
        const ssize_t count = write(browser->to, text + sent, size - sent);

        if (count <= 0)
            fail("the browser takes no message");
        sent += (size_t)count;
    }
    free(text);
    json_decref(message);
}

static const char *text_at(const json_t *object, const char *a, const char *b)
{
    const json_t *value = json_object_get(object, a);
    const char *text = json_string_value(b ? json_object_get(value, b) : value);

    return text ? text : "";
}

static json_t *next_message(struct browser *browser)
{
    char *end;
    json_t *message;
    const char *session;

    while (!browser->unread || !(end = memchr(browser->unread, 0, browser->unread_size))) {
        ssize_t count;

        browser->unread = realloc(browser->unread, browser->unread_size + BLOCK);
        if (!browser->unread)
            fail("no memory");
        count = read(browser->from, browser->unread + browser->unread_size, BLOCK);
        if (count <= 0)
            fail("the browser has gone");
        browser->unread_size += (size_t)count;
    }
    message = json_loads(browser->unread, 0, NULL);
    browser->unread_size -= (size_t)(end + 1 - browser->unread);
    memmove(browser->unread, end + 1, browser->unread_size);
    session = text_at(message, "sessionId", NULL);
    if (browser->session && strcmp(session, browser->session) != 0) { /* of the page before */
        json_decref(message);
        return next_message(browser);
    }
    return message;
}

static void blame(struct browser *browser, const char *what, const char *text)
{
    fprintf(stderr, "browse: %s: %s\n", what, text);
    browser->faults++;
}

static void on_event(struct browser *browser, const char *method, const json_t *parameters)
{
    if (!strcmp(method, "Page.loadEventFired"))
        browser->loaded = true;
    if (!strcmp(method, "Runtime.exceptionThrown"))
        blame(browser, "exception", text_at(parameters, "exceptionDetails", "text"));
    if (!strcmp(method, "Log.entryAdded") &&
        strcmp(text_at(parameters, "entry", "level"), "info") &&
        strcmp(text_at(parameters, "entry", "level"), "verbose"))
        blame(browser, text_at(parameters, "entry", "level"), text_at(parameters, "entry", "text"));
    if (!strcmp(method, "Runtime.consoleAPICalled") &&
        strcmp(text_at(parameters, "type", NULL), "log"))
        blame(browser, "console", text_at(parameters, "type", NULL));
    if (!strcmp(method, "Network.requestWillBeSent")) {
        const char *url = text_at(parameters, "request", "url");

        if (!browser->loaded && !strcmp(text_at(parameters, "type", NULL), "Document"))
            return; /* the page itself */
        if (strncmp(url, browser->page, browser->own) != 0 && strncmp(url, "data:", 5) != 0 &&
            strncmp(url, "blob:", 5) != 0)
            blame(browser, "asks for", url);
    }
}

/* Send, and wait for the answer, which is to be freed. */
static json_t *call(struct browser *browser, const char *method, json_t *parameters)
{
    send_message(browser, method, parameters);
    for (;;) {
        json_t *message = next_message(browser), *result;

        if (json_integer_value(json_object_get(message, "id")) != browser->calls) {
            on_event(browser, text_at(message, "method", NULL), json_object_get(message, "params"));
            json_decref(message);
            continue;
        }
        if (json_object_get(message, "error"))
            fail(text_at(message, "error", "message"));
        result = json_incref(json_object_get(message, "result"));
        json_decref(message);
        return result;
    }
}

static void tell(struct browser *browser, const char *method, json_t *parameters)
{
    json_decref(call(browser, method, parameters));
}

/* --- Commands --------------------------------------------------------------------------------- */

static json_t *run_script(struct browser *browser, const char *expression)
{
    return call(browser, "Runtime.evaluate",
                json_pack("{s:s, s:b, s:b}", "expression", expression, "returnByValue", 1,
                          "awaitPromise", 1));
}

static void evaluate(struct browser *browser, const char *expression, bool print)
{
    json_t *result = run_script(browser, expression);
    const json_t *value = json_object_get(json_object_get(result, "result"), "value");
    char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);

    if (json_object_get(result, "exceptionDetails"))
        blame(browser, expression, text_at(json_object_get(result, "result"), "description", NULL));
    else if (print)
        puts(json_is_string(value) ? json_string_value(value) : text ? text : "undefined");
    free(text);
    json_decref(result);
}

static void wait_until(struct browser *browser, const char *expression)
{
    char *script;

    if (asprintf(&script,
                 "new Promise((done, fail) => {\n"
                 "  const end = Date.now() + 10000;\n"
                 "  const look = () => {\n"
                 "    if (%s) done();\n"
                 "    else if (Date.now() > end) fail();\n"
                 "    else setTimeout(look, 20);\n"
                 "  };\n"
                 "  look();\n"
                 "})",
                 expression) < 0)
        fail("no memory");
    evaluate(browser, script, false);
    free(script);
}

static void set_data(struct browser *browser, const char *name, const char *path)
{
    json_t *data = json_load_file(path, JSON_DECODE_ANY, NULL);
    char *text = data ? json_dumps(data, JSON_ENCODE_ANY) : NULL, *script;

    if (!text || asprintf(&script, "window.%s = %s; 0", name, text) < 0)
        fail("data: no such JSON file");
    evaluate(browser, script, false);
    free(script);
    free(text);
    json_decref(data);
}

static void press(struct browser *browser, const char *name)
{
    static const struct {
        const char *name;
        int code;
        const char *text;
    } keys[] = {{"Tab", 9, ""},      {"Backspace", 8, ""},  {"Enter", 13, "\r"},
                {"Space", 32, " "},  {"Escape", 27, ""},    {"Home", 36, ""},
                {"End", 35, ""},     {"ArrowLeft", 37, ""}, {"ArrowRight", 39, ""},
                {"ArrowUp", 38, ""}, {"ArrowDown", 40, ""}};
    const char *text = strlen(name) == 1 ? name : "", *key = name;
    int code = strlen(name) == 1 && isalnum(*name) ? toupper(*name) : 0;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!strcmp(keys[i].name, name)) {
            code = keys[i].code;
            text = keys[i].text;
        }
    if (!strcmp(name, "Space"))
        key = " ";
    tell(browser, "Input.dispatchKeyEvent",
         json_pack("{s:s, s:s, s:s, s:s, s:i}", "type", *text ? "keyDown" : "rawKeyDown", "key",
                   key, "code", name, "text", text, "windowsVirtualKeyCode", code));
    tell(browser, "Input.dispatchKeyEvent",
         json_pack("{s:s, s:s, s:s, s:i}", "type", "keyUp", "key", key, "code", name,
                   "windowsVirtualKeyCode", code));
    /* Chromium paints first, and lets events such as toggle wait until it has. */
    evaluate(browser, "new Promise(done => requestAnimationFrame(() => setTimeout(done)))", false);
}

static void type(struct browser *browser, const char *text)
{
    for (; *text; text++)
        press(browser, *text == '\n' ? "Enter" : *text == ' ' ? "Space" : (char[]){*text, '\0'});
}

/* Press Tab until the expression holds. */
static void tab_until(struct browser *browser, const char *expression)
{
    enum { MOST = 200 };
    bool holds = false;

    for (int i = 0; i < MOST && !holds; i++) {
        press(browser, "Tab");
        json_t *result = run_script(browser, expression);
        holds = json_is_true(json_object_get(json_object_get(result, "result"), "value"));
        json_decref(result);
    }
    if (!holds)
        blame(browser, "Tab does not lead there", expression);
}

static void resize(struct browser *browser, const char *size)
{
    int width, height;

    if (sscanf(size, "%dx%d", &width, &height) != 2)
        fail("size takes WIDTHxHEIGHT");
    tell(browser, "Emulation.setDeviceMetricsOverride",
         json_pack("{s:i, s:i, s:i, s:b}", "width", width, "height", height, "deviceScaleFactor", 1,
                   "mobile", 0));
}

static void set_media(struct browser *browser, const char *media)
{
    const bool print = !strcmp(media, "print");

    tell(browser, "Emulation.setEmulatedMedia",
         json_pack("{s:s, s:[{s:s, s:s}]}", "media", print ? "print" : "screen", "features", "name",
                   "prefers-color-scheme", "value", print ? "light" : media));
}

static void wait_for_page(struct browser *browser)
{
    while (!browser->loaded) {
        json_t *message = next_message(browser);

        on_event(browser, text_at(message, "method", NULL), json_object_get(message, "params"));
        json_decref(message);
    }
}

/* Go to the page at `path`, a file, with a query or without, or an address. */
static void go(struct browser *browser, const char *path)
{
    static const char http[] = "http://";
    const bool is_address = !strncmp(path, http, strlen(http));
    const size_t length = is_address ? strlen(path) : strcspn(path, "?");
    char *plain = strndup(path, length), *full = is_address ? strdup(path) : realpath(plain, NULL);

    free(browser->page);
    if (!full ||
        asprintf(&browser->page, "%s%s%s", is_address ? "" : "file://", full, path + length) < 0)
        fail("no such page");
    browser->own =
        is_address ? strlen(http) + strcspn(full + strlen(http), "/") : strlen(browser->page);
    browser->loaded = false;
    tell(browser, "Page.navigate", json_pack("{s:s}", "url", browser->page));
    wait_for_page(browser);
    free(full);
    free(plain);
}

static void reload(struct browser *browser)
{
    browser->loaded = false;
    tell(browser, "Page.reload", NULL);
    wait_for_page(browser);
}

static void set_language(struct browser *browser, const char *tag)
{
    tell(browser, "Emulation.setUserAgentOverride",
         json_pack("{s:s, s:s}", "userAgent", "browse", "acceptLanguage", tag));
    reload(browser);
}

static void set_scripts(struct browser *browser, const char *state)
{
    tell(browser, "Emulation.setScriptExecutionDisabled",
         json_pack("{s:b}", "value", !strcmp(state, "off")));
    reload(browser);
}

static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* Write what is base64 in `text` to a file. */
static void save(const char *text, const char *path)
{
    FILE *file = fopen(path, "w");
    unsigned bits = 0;
    int count = 0;

    if (!file)
        fail("cannot write a file");
    for (; digit_of(*text) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit_of(*text);
        count += 6;
        if (count >= 8) {
            count -= 8;
            fputc((int)(bits >> count & 0xFF), file);
        }
    }
    if (fclose(file) != 0)
        fail("cannot write a file");
}

static void picture(struct browser *browser, const char *method, json_t *parameters,
                    const char *path)
{
    json_t *result = call(browser, method, parameters);

    save(text_at(result, "data", NULL), path);
    json_decref(result);
}

/* Returns how many arguments it took. */
static int obey(struct browser *browser, char **words, int count)
{
    if (count >= 3 && !strcmp(words[0], "data")) {
        set_data(browser, words[1], words[2]);
        return 3;
    }
    if (count < 2)
        fail("a command lacks its argument");
    if (!strcmp(words[0], "eval"))
        evaluate(browser, words[1], true);
    else if (!strcmp(words[0], "until"))
        wait_until(browser, words[1]);
    else if (!strcmp(words[0], "key"))
        press(browser, words[1]);
    else if (!strcmp(words[0], "type"))
        type(browser, words[1]);
    else if (!strcmp(words[0], "tab"))
        tab_until(browser, words[1]);
    else if (!strcmp(words[0], "size"))
        resize(browser, words[1]);
    else if (!strcmp(words[0], "media"))
        set_media(browser, words[1]);
    else if (!strcmp(words[0], "go"))
        go(browser, words[1]);
    else if (!strcmp(words[0], "language"))
        set_language(browser, words[1]);
    else if (!strcmp(words[0], "scripts"))
        set_scripts(browser, words[1]);
    else if (!strcmp(words[0], "shot"))
        picture(browser, "Page.captureScreenshot", json_pack("{s:b}", "captureBeyondViewport", 1),
                words[1]);
    else if (!strcmp(words[0], "pdf")) {
        set_media(browser, "print");
        picture(browser, "Page.printToPDF",
                json_pack("{s:b, s:b}", "preferCSSPageSize", 1, "printBackground", 1), words[1]);
    } else
        fail("no such command");
    return 2;
}

/* --- The browser ------------------------------------------------------------------------------ */

/* In the child: become the browser, which reads from 3 and writes to 4. */
static void become_browser(const char *program, const char *profile, int in, int out)
{
    char *folder = NULL;
    const int nowhere = open("/dev/null", O_RDWR);
    const int read_end = fcntl(in, F_DUPFD, 10), write_end = fcntl(out, F_DUPFD, 10);

    setpgid(0, 0);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    dup2(read_end, READ_FD);
    dup2(write_end, WRITE_FD);
    close(read_end);
    close(write_end);
    if (asprintf(&folder, "--user-data-dir=%s", profile) < 0)
        _exit(126);
    execlp(program, program, "--headless=new", "--no-sandbox", "--disable-gpu",
           "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--hide-scrollbars",
           "--remote-debugging-pipe", folder, "about:blank", (char *)NULL);
    _exit(127);
}

static void start_browser(struct browser *browser, const char *program)
{
    int to[2], from[2];

    if (!mkdtemp(temporary_name(browser->profile)) || pipe2(to, O_CLOEXEC) ||
        pipe2(from, O_CLOEXEC))
        fail("no folder or pipe for the browser");
    browser->pid = fork();
    if (browser->pid == 0)
        become_browser(program, browser->profile, to[0], from[1]);
    if (browser->pid < 0)
        fail("cannot start the browser");
    setpgid(browser->pid, browser->pid);
    close(to[0]);
    close(from[1]);
    browser->to = to[1];
    browser->from = from[0];
}

/* Returns a socket that listens, or is connected; -1: there is none. The folder of a socket may
 * have a longer name than an address can hold: from within it, its name is short. */
static int open_socket(const char *path, bool listens)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *slash = strrchr(path, '/');
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char *folder = strndup(path, slash ? (size_t)(slash - path) : 0);
    bool opened = one >= 0 && here >= 0 && slash && strlen(slash) < sizeof(address.sun_path) &&
                  chdir(folder) == 0;

    if (opened) {
        strcpy(address.sun_path, slash + 1);
        if (listens)
            unlink(address.sun_path);
        opened = listens ? !bind(one, (struct sockaddr *)&address, sizeof(address)) &&
                               !listen(one, SOMAXCONN)
                         : !connect(one, (struct sockaddr *)&address, sizeof(address));
    }
    if (here >= 0 && fchdir(here) != 0)
        fail("the folder has gone");
    free(folder);
    return opened ? one : -1;
}

static bool pass_on(int to, const char *text, ssize_t size)
{
    for (ssize_t sent = 0, count; sent < size; sent += count)
        if ((count = write(to, text + sent, (size_t)(size - sent))) <= 0)
            return false;
    return true;
}

/* Carry messages between a client and the browser until the client leaves. What the browser says to
 * one that has left, from the middle of a message on, is not for the next. */
static void relay(const struct browser *browser, int client)
{
    static bool in_message;
    bool skips = in_message;
    struct pollfd ends[] = {{client, POLLIN, 0}, {browser->from, POLLIN, 0}};
    char block[BLOCK];

    while (poll(ends, 2, -1) > 0) {
        if (ends[1].revents) {
            const ssize_t count = read(browser->from, block, sizeof(block));
            char *begin = block, *end = count > 0 ? memchr(block, 0, (size_t)count) : NULL;

            if (count <= 0)
                fail("the browser has gone");
            in_message = block[count - 1] != 0;
            if (skips) {
                begin = end ? end + 1 : block + count;
                skips = !end;
            }
            if (!pass_on(client, begin, block + count - begin))
                return;
        }
        if (ends[0].revents) {
            const ssize_t count = read(client, block, sizeof(block));

            if (count <= 0 || !pass_on(browser->to, block, count))
                return;
        }
    }
}

/* Listen, and stay behind as a process of its own for as long as the caller lives. Returns the exit
 * code. */
static int serve(struct browser *browser, const char *program, const char *path)
{
    enum { SECOND = 1000 };
    const pid_t caller = getppid();
    struct pollfd listener = {open_socket(path, true), POLLIN, 0};
    const int nowhere = open("/dev/null", O_RDWR);

    if (listener.fd < 0 || nowhere < 0)
        fail("cannot listen");
    alarm(0);
    if (fork() > 0)
        _exit(0);
    setsid();
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        dup2(nowhere, i);
    start_browser(browser, program);
    while (kill(caller, 0) == 0 && waitpid(browser->pid, NULL, WNOHANG) == 0) {
        const int client = poll(&listener, 1, SECOND) > 0 ? accept(listener.fd, NULL, NULL) : -1;

        if (client >= 0) {
            relay(browser, client);
            close(client);
        }
    }
    unlink(path);
    return 0;
}

static void find_browser(struct browser *browser, const char *program)
{
    const char *path = getenv("BROWSE_SOCKET");

    browser->calls = (getpid() & 0xFFFF) << 14; /* an answer to another client is none to us */
    browser->to = browser->from = path ? open_socket(path, false) : -1;
    if (browser->to < 0)
        start_browser(browser, program);
}

static void open_page(struct browser *browser, const char *path)
{
    static const char *const domains[] = {"Page.enable", "Runtime.enable", "Log.enable",
                                          "Network.enable"};
    json_t *context, *target, *session;

    context = call(browser, "Target.createBrowserContext", NULL);
    browser->context = strdup(text_at(context, "browserContextId", NULL));
    target =
        call(browser, "Target.createTarget",
             json_pack("{s:s, s:s}", "url", "about:blank", "browserContextId", browser->context));
    session =
        call(browser, "Target.attachToTarget",
             json_pack("{s:s, s:b}", "targetId", text_at(target, "targetId", NULL), "flatten", 1));
    browser->session = strdup(text_at(session, "sessionId", NULL));
    for (size_t i = 0; i < sizeof(domains) / sizeof(domains[0]); i++)
        tell(browser, domains[i], NULL);
    resize(browser, "1200x900");
    set_media(browser, "light");
    go(browser, path);
    json_decref(session);
    json_decref(target);
    json_decref(context);
}

static void close_page(struct browser *browser)
{
    free(browser->session);
    browser->session = NULL;
    tell(browser, "Target.disposeBrowserContext",
         json_pack("{s:s}", "browserContextId", browser->context));
}

int main(int argc, char **argv)
{
    struct browser *browser = &the_browser;

    if (argc < 3 || (!strcmp(argv[1], "serve") && argc != 4))
        fail("browse CHROMIUM PAGE COMMAND ARGUMENT ...");
    atexit(end_browser);
    signal(SIGALRM, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGINT, on_signal);
    signal(SIGPIPE, SIG_IGN);
    alarm(PATIENCE);
    if (!strcmp(argv[1], "serve"))
        return serve(browser, argv[2], argv[3]);
    find_browser(browser, argv[1]);
    open_page(browser, argv[2]);
    for (int i = 3; i < argc;)
        i += obey(browser, argv + i, argc - i);
    evaluate(browser, "new Promise(done => setTimeout(done, 100))",
             false); /* what is still to come */
    close_page(browser);
    fflush(stdout);
    return browser->faults > 0;
}
