// SPDX-License-Identifier: MIT

// Busy goroutines with a fixed amount of work, for bench/cost.sh: busy_threads.c in Go, whose
// goroutines' stacks lie in the heap.
//
//	busy_go THREADS MS [WARM_MS [EVERY_US]]
//
// Prints "wall_ns cpu_ns": the wall time of the measured part, and the CPU time of the process.
// TURNS_PER_MS is taken from the environment.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	pieceUs = 20
	depth   = 16
)

//go:noinline
func piece(turns int64) (sum uint32) {
	for ; turns > 0; turns-- {
		sum = sum*1664525 + 1013904223
	}
	return sum
}

//go:noinline
func descend(turns int64, depth int) uint32 {
	if depth == 0 {
		return piece(turns)
	}
	return descend(turns, depth-1) + 1
}

func argument(i int) int64 {
	if len(os.Args) <= i {
		return 0
	}
	n, err := strconv.ParseInt(os.Args[i], 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return n
}

func calibrate() int64 {
	if n, err := strconv.ParseInt(os.Getenv("TURNS_PER_MS"), 10, 64); err == nil {
		return n
	}
	best := time.Hour
	for i := 0; i < 50; i++ {
		start := time.Now()
		piece(1000000)
		if d := time.Since(start); d < best {
			best = d
		}
	}
	return 1000000 * int64(time.Millisecond) / int64(best)
}

func cpuTime() int64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func main() {
	threads, ms, warm, every := argument(1), argument(2), argument(3), argument(4)
	perMs := calibrate()
	if ms == 0 {
		fmt.Println(perMs)
		return
	}
	runtime.GOMAXPROCS(int(threads))
	turns := perMs * pieceUs / 1000
	left := ms * 1000 / pieceUs * threads
	every = (every + pieceUs - 1) / pieceUs
	until := time.Now().Add(time.Duration(warm) * time.Millisecond)
	var warmed, done sync.WaitGroup
	start := make(chan struct{})
	warmed.Add(int(threads))
	done.Add(int(threads))
	for i := int64(0); i < threads; i++ {
		go func() {
			count := int64(0)
			work := func() {
				descend(turns, depth)
				if count++; every > 0 && count%every == 0 {
					syscall.Getppid()
				}
			}
			for time.Now().Before(until) {
				work()
			}
			warmed.Done()
			<-start
			for atomic.AddInt64(&left, -1) >= 0 {
				work()
			}
			done.Done()
		}()
	}
	warmed.Wait()
	wall := time.Now()
	close(start)
	done.Wait()
	fmt.Println(time.Since(wall).Nanoseconds(), cpuTime())
}
