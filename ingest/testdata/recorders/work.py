"""Works in three functions, 6 to 3 to 1, while another thread sleeps, then sleeps."""
import os, threading, time


def sixty(n):
    s = 0
    for i in range(n): s = (s + i * 31 % 7) & 0xffff
    return s


def thirty(n):
    s = 1
    for i in range(n): s = (s + i * 31 % 7) & 0xffff
    return s


def ten(n):
    s = 2
    for i in range(n): s = (s + i * 31 % 7) & 0xffff
    return s


def work(rounds):
    # The length of a round varies, so that rounds and samples do not keep step.
    random = 1
    for i in range(rounds):
        random = (random * 1103515245 + 12345) % 2**32
        scale = 1 + (random >> 16) % 8
        sixty(1200 * scale)
        thirty(600 * scale)
        ten(200 * scale)


def idle():
    time.sleep(60)


def main():
    threading.Thread(target=idle, name='idle', daemon=True).start()
    begin, before = time.monotonic_ns(), time.thread_time_ns()
    work(int(os.environ.get('WORK_ROUNDS', '1000')))
    elapsed, used = time.monotonic_ns() - begin, time.thread_time_ns() - before
    time.sleep(0.3)
    if 'WORK_TIMES' in os.environ:
        with open(os.environ['WORK_TIMES'], 'w') as f:
            f.write('%d %d %d\n' % (used, elapsed, time.process_time_ns()))


if __name__ == '__main__':
    main()
