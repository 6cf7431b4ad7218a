// SPDX-License-Identifier: MIT
// A program whose stacks are known: each of its methods calls the same ones at the same lines.
//
//	java Truth write FILE                       runs everything, and writes down each stack that
//	                                            busy() has
//	java Truth run SECONDS [THREADS [virtual]]  runs everything again and again, in threads
//
// A stack is the methods of this file, outermost first, with the lines at which they call;
// tests/targets/java_truth.py compares them with those of a profile.
import java.io.PrintWriter;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public class Truth {
    static volatile int sink;
    static Set<String> known; // not null: busy() writes down

    interface Shape {
        int area(int n);
    }

    static class Square implements Shape {
        public int area(int n) {
            return busy(n) + 1;
        }
    }

    static class Circle implements Shape {
        public int area(int n) {
            return inner(n) + 2;
        }

        int inner(int n) {
            return busy(n);
        }
    }

    static class Ring extends Circle {
        public int area(int n) {
            return super.area(n) - inner(n / 2);
        }
    }

    static class Expected extends RuntimeException {
    }

    static int busy(int n) {
        if (known != null)
            writeDown();
        int x = n;
        for (int i = 0; i < n; i++)
            x = x * 31 + (x >> 3) + i % 7;
        sink = x;
        return x;
    }

    static void writeDown() {
        StringBuilder text = new StringBuilder();
        List<StackWalker.StackFrame> frames =
            StackWalker.getInstance().walk(s -> s.collect(Collectors.toList()));
        for (int i = frames.size() - 1; i > 0; i--) { // but for this one
            StackWalker.StackFrame frame = frames.get(i);
            if (frame.getClassName().startsWith("Truth"))
                text.append(frame.getClassName() + "." + frame.getMethodName() + ":"
                    + frame.getLineNumber() + ";");
        }
        synchronized (known) {
            known.add(text.toString());
        }
    }

    static int deep(int n) {
        if (n == 0)
            return busy(2000);
        return deep(n - 1) + 1;
    }

    static int even(int n) {
        return n == 0 ? busy(500) : odd(n - 1) + 1;
    }

    static int odd(int n) {
        return even(n - 1) + 2;
    }

    static int shapes() {
        Shape[] shapes = {new Square(), new Circle(), new Ring()};
        int sum = 0;
        for (int i = 0; i < 60; i++)
            sum += shapes[i % 3].area(40 + i);
        return sum;
    }

    static int apply(IntUnaryOperator f, int n) {
        return f.applyAsInt(n) + 1;
    }

    static int lambdas() {
        int more = busy(30);
        return apply(x -> busy(x + more % 2), 60) + apply(Truth::busy, 50)
            + apply(x -> apply(y -> busy(y), x), 70);
    }

    static int streams() {
        return IntStream.range(0, 30)
            .map(x -> busy(40) + x)
            .filter(x -> keep(x))
            .sum();
    }

    static boolean keep(int x) {
        return busy(35) != x;
    }

    static int sorting() {
        Integer[] values = new Integer[40];
        for (int i = 0; i < values.length; i++)
            values[i] = i * 17 % 40;
        Arrays.sort(values, Comparator.comparingInt(x -> key(x)));
        return values[0];
    }

    static int key(int x) {
        return busy(20) - x;
    }

    static int fail(int n) {
        if (n > 0)
            return fail(n - 1) + 1;
        busy(60);
        throw new Expected();
    }

    static int exceptions() {
        int sum = 0;
        try {
            sum += fail(8);
        } catch (Expected e) {
            sum += busy(70);
        } finally {
            sum += busy(80);
        }
        return sum;
    }

    public static int reflected(int n) {
        return busy(n);
    }

    // The VM calls this method through its native method invoke0, at first.
    static int reflection() {
        try {
            return (int) Truth.class.getMethod("reflected", int.class).invoke(null, 90);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static final Object lock = new Object();

    static int locked() {
        synchronized (lock) {
            return busy(50);
        }
    }

    static synchronized int synchronizedMethod(int n) {
        return n == 0 ? busy(45) : synchronizedMethod(n - 1);
    }

    static int manyArguments(int a, long b, double c, int d, long e, int f, int g, int h, long i,
        double j) {
        int sum = busy(a);
        sum += (int) (b + c + d + e + f + g + h + i + j);
        return sum + busy(30);
    }

    static int concatenated() {
        String text = "";
        for (int i = 0; i < 20; i++)
            text += i + busy(25);
        return text.hashCode();
    }

    static int switched(int n) {
        switch (n) {
        case 0:
            return busy(31);
        case 1:
            return busy(32) + switched(0);
        default:
            return switched(n - 1) + switched(n - 2);
        }
    }

    static final MethodHandles.Lookup lookup = MethodHandles.lookup();
    static MethodHandle handle; // not final: it is not inlined

    static int handled(int n) {
        return busy(n) + 1;
    }

    static int handles() {
        try {
            if (handle == null)
                handle = lookup.findStatic(Truth.class, "handled",
                    MethodType.methodType(int.class, int.class));
            return (int) handle.invokeExact(55) + (int) handle.invoke(56);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    public static int failing(int n) {
        return fail(n);
    }

    // An exception passes the native method.
    static int exceptionsOfNative() {
        try {
            return (int) Truth.class.getMethod("failing", int.class).invoke(null, 3);
        } catch (InvocationTargetException e) {
            return busy(65);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    // A virtual thread leaves its carrier here; back, it has only its innermost frames on the
    // stack, and fetches a few more whenever it returns from the last one of these.
    static int yielding(int n) {
        if (n > 0)
            return yielding(n - 1) + busy(150);
        Thread.yield();
        return busy(300);
    }

    static int everything() {
        int sum = deep(400);
        sum += even(40);
        sum += shapes();
        sum += lambdas();
        sum += streams();
        sum += sorting();
        sum += exceptions();
        sum += reflection();
        sum += locked();
        sum += synchronizedMethod(5);
        sum += manyArguments(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        sum += concatenated();
        sum += switched(6);
        sum += handles();
        sum += exceptionsOfNative();
        sum += yielding(20);
        return sum;
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("write")) {
            known = new TreeSet<>();
            everything();
            PrintWriter out = new PrintWriter(args[1]);
            known.forEach(out::println);
            out.close();
            return;
        }
        long end = System.nanoTime() + (long) (Double.parseDouble(args[1]) * 1e9);
        Runnable run = () -> {
            while (System.nanoTime() < end)
                sink += everything();
        };
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < (args.length > 2 ? Integer.parseInt(args[2]) : 3); i++)
            threads.add(args.length > 3 ? startVirtual(run) : new Thread(run));
        for (Thread thread : threads)
            if (args.length <= 3)
                thread.start();
        for (Thread thread : threads)
            thread.join();
    }

    // By reflection: this compiles with Java that has none.
    static Thread startVirtual(Runnable run) throws ReflectiveOperationException {
        return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
            .invoke(null, run);
    }
}
