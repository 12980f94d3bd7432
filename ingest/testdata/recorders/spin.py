import time
def heavy(n):
    s = 0
    for i in range(n): s += i * 31 % 7
    return s
def light(n):
    s = 0
    for i in range(n): s ^= i * 17 % 11
    return s
def main():
    end = time.time() + 2
    while time.time() < end:
        heavy(30000); light(10000)
    time.sleep(0.5)
main()
