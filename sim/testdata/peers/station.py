"""station.py processes|callbacks REQUESTS STATIONS: the workload of package sim's benchmark Station
on SimPy 3, as its manual writes it (a process for each client and server) or by hand (callbacks of
events, no process). Its own chance: counts agree with the others', the trace does not. Prints the
processor time of a request in nanoseconds, attempts, answered and failed."""
import random
import sys
import time
from collections import deque

import simpy

style, requests, stations = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
luck = random.Random(1)
env = simpy.Environment()
attempts = answered = failed = 0
PATIENCE, GAP = 30.0, 0.9 * stations  # milliseconds; arrivals in one


class Attempt:
    __slots__ = ("done", "abandoned", "served", "tries", "at")


def server(line):
    while True:
        attempt = yield line.get()
        if attempt.abandoned:
            continue
        yield env.timeout(luck.expovariate(1.0))
        if not attempt.abandoned:
            attempt.done.succeed()


def client(line):
    global attempts, answered, failed
    for tries in range(3):
        attempt = Attempt()
        attempt.done, attempt.abandoned = env.event(), False
        attempts += 1
        line.put(attempt)
        yield attempt.done | env.timeout(PATIENCE)
        if attempt.done.triggered:
            answered += 1
            return
        attempt.abandoned = True
        if tries < 2:
            yield env.timeout(luck.random() * 10.0 * (1 << tries))
    failed += 1


def source(lines):
    for _ in range(requests):
        yield env.timeout(luck.expovariate(GAP))
        env.process(client(lines[int(luck.random() * stations)]))


def with_processes():
    lines = [simpy.Store(env) for _ in range(stations)]
    for line in lines:
        env.process(server(line))
    env.process(source(lines))


class Station:
    __slots__ = ("serving", "line")

    def __init__(self):
        self.serving, self.line = None, deque()


def after(delay, call, value=None):
    env.timeout(delay, value).callbacks.append(call)


def with_callbacks():
    all_stations = [Station() for _ in range(stations)]
    left = requests

    def arrive(_):
        nonlocal left
        left -= 1
        attempt = Attempt()
        attempt.at, attempt.tries = all_stations[int(luck.random() * stations)], 0
        if left:
            after(luck.expovariate(GAP), arrive)
        enqueue(attempt)

    def enqueue(attempt):
        global attempts
        attempts += 1
        attempt.abandoned = attempt.served = False
        after(PATIENCE, give_up, attempt)
        if attempt.at.serving is None:
            serve(attempt)
        else:
            attempt.at.line.append(attempt)

    def serve(attempt):
        attempt.at.serving = attempt
        after(luck.expovariate(1.0), finish, attempt)

    def finish(event):
        global answered
        attempt = event.value
        if not attempt.abandoned:
            answered += 1
            attempt.served = True
        at = attempt.at
        at.serving = None
        while at.line:
            waiting = at.line.popleft()
            if not waiting.abandoned:
                serve(waiting)
                return

    def give_up(event):
        global failed
        attempt = event.value
        if attempt.served:
            return
        attempt.abandoned = True
        if attempt.tries == 2:
            failed += 1
            return
        again = Attempt()
        again.at, again.tries = attempt.at, attempt.tries + 1
        after(luck.random() * 10.0 * (1 << attempt.tries), lambda e: enqueue(e.value), again)

    after(luck.expovariate(GAP), arrive)


{"processes": with_processes, "callbacks": with_callbacks}[style]()
began = time.process_time()
env.run()
spent = time.process_time() - began
print("%.2f %d %d %d" % (spent / requests * 1e9, attempts, answered, failed))
