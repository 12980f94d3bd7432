package com.example;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

// What javac gives names of its own to. One statement a line where places matter.
public class Names {
    Runnable field = () -> System.out.println("field");
    static Runnable shared = () -> System.out.println("static field");
    Object anonymous = new Object() {
        @Override public String toString() {
            return "anonymous";
        }
    };

    static <T> T generic(T t) {
        return t;
    }

    static void two(Supplier<Object> s, Object o) {
        s.get();
    }

    void lambdas(List<String> list) {
        Runnable outer = () -> {
            System.out.println("outer");
            Runnable inner = () -> {
                System.out.println("inner");
            };
            inner.run();
        };
        outer.run();
        Runnable superReference = super::notify;
        Function<Integer, int[]> array = int[]::new;
        Function<Integer, Inner> make =
                Inner::new;
        Supplier<List<String>> variable =
                Arrays::asList;
        Runnable plain = new ArrayList<String>()::clear;
        Runnable kept = (Runnable & java.io.Serializable) () ->
                System.out.println("kept");
        two(() -> new Object() {
            @Override public String toString() {
                return "in a lambda";
            }
        }, new Object() {
            @Override public String toString() {
                return "argument";
            }
        });
        list.forEach(s -> list.stream()
                .filter(t -> t.equals(s))
                .forEach(u ->
                        System.out.println(u)));
    }

    void overloaded(int i) {
        System.out.println(i);
    }

    void overloaded(Integer i, String... rest) {
        System.out.println(i);
    }

    <T extends Comparable<T>> void overloaded(T t, int[][] a) {
        System.out.println(t);
    }

    <T> void overloaded(T t, List<? super T>[] a) {
        System.out.println(t);
    }

    void local() {
        int captured = field.hashCode();
        class Local {
            final int i;

            Local(int i) {
                this.i = i;
            }

            int sum() {
                return i + captured;
            }
        }
        new Local(1).sum();
        new Thread(new Runnable() {
            @Override public void run() {
                Runnable inside = () -> System.out.println(captured);
                inside.run();
            }
        }) {
            @Override public void start() {
                class Deep {
                    void go() {
                        new Object() {
                            @Override public int hashCode() {
                                return captured;
                            }
                        }.hashCode();
                    }
                }
                new Deep().go();
            }
        }.start();
    }

    void again() {
        class Local {
            void other() {
                System.out.println();
            }
        }
        new Local().other();
    }

    Names() {
        this(() -> 1);
    }

    Names(Supplier<Integer> s) {
        super();
        Runnable r = () ->
                System.out.println(s.get());
        r.run();
    }

    static {
        Runnable r = () -> System.out.println("static block");
        r.run();
    }

    {
        Runnable r = () -> System.out.println("block");
        r.run();
    }

    class Inner {
        final int i;

        Inner(int i) {
            this.i = i;
        }

        class Deeper {
            int outer() {
                return i;
            }
        }
    }

    static class Box implements Comparable<Box>, Supplier<String> {
        @Override public int compareTo(Box other) {
            return 0;
        }

        @Override public String get() {
            return "";
        }
    }

    enum Level {
        LOW(1) {
            @Override int weight() {
                return 1;
            }
        },
        HIGH(2) {
            @Override int weight() {
                return 2;
            }
        };

        final int i;

        Level(int i) {
            this.i = i;
        }

        abstract int weight();

        static int choose(Level l) {
            switch (l) {
                case LOW:
                    return 1;
                default:
                    return 2;
            }
        }
    }

    record Point(int x, String name) {
        static final Supplier<Point> ZERO = () ->
                new Point(0, "");

        Point {
            if (x < 0) {
                throw new IllegalArgumentException();
            }
        }

        public String name() {
            return name.trim();
        }
    }

    interface Shape {
        Object MARK = new Object();

        default int area() {
            Supplier<Integer> s = () -> helper();
            return s.get();
        }

        private int helper() {
            return 1;
        }

        static Shape none() {
            return new Shape() {
                @Override public int area() {
                    return 0;
                }
            };
        }
    }
}
