// The workload client with franz-go; ../README.md describes its behaviour and output.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	language         = "go"
	mostUnanswered   = 2000
	tick             = 50 * time.Millisecond
	flushPatience    = 20 * time.Second
	catchUpPatience  = 15 * time.Second
	commitEvery      = time.Second
	requestOverhead  = 10 * time.Second
	metadataMaxAge   = 10 * time.Second
	longestRetryWait = 500 * time.Millisecond
)

var (
	bootstrap  = setting("BOOTSTRAP_SERVERS", "localhost:9092")
	topic      = setting("TOPIC", "")
	partitions = number("PARTITIONS", 6)
	group      = setting("GROUP", topic+"-readers")
	rate       = number("RATE", 200)
	results    = setting("RESULTS", "/results")
	run        = number("RUN", int(time.Now().UnixMilli()))
)

// By partition: one past the last acknowledged offset.
var acknowledgedEnd []atomicInt

// atomicInt exists as atomic.Int64 in newer versions than Debian's.
type atomicInt struct{ value int64 }

func (a *atomicInt) load() int64 { return atomic.LoadInt64(&a.value) }

func (a *atomicInt) raise(to int64) {
	for now := a.load(); now < to && !atomic.CompareAndSwapInt64(&a.value, now, to); now = a.load() {
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func number(name string, otherwise int) int {
	value, err := strconv.Atoi(setting(name, strconv.Itoa(otherwise)))
	if err != nil {
		fmt.Fprintln(os.Stderr, name, err)
		os.Exit(1)
	}
	return value
}

func main() {
	if topic == "" {
		fmt.Fprintln(os.Stderr, "TOPIC is not set")
		os.Exit(1)
	}
	acknowledgedEnd = make([]atomicInt, partitions)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	stopping := make(chan struct{})
	go func() {
		<-signals
		close(stopping)
	}()

	flushed := make(chan struct{})
	var roles sync.WaitGroup
	roles.Add(2)
	go func() {
		defer roles.Done()
		newSender().run(stopping)
		close(flushed)
	}()
	go func() {
		defer roles.Done()
		newReader().run(flushed)
	}()
	roles.Wait()
}
