package main

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type sender struct {
	results      *resultsFile
	client       *kgo.Client
	unanswered   int64
	acknowledged int64
	nextSequence []int
}

func newClient(options ...kgo.Opt) *kgo.Client {
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(bootstrap),
		kgo.ClientID(language),
		kgo.DialTimeout(3 * time.Second),
		kgo.RequestTimeoutOverhead(requestOverhead),
		kgo.MetadataMaxAge(metadataMaxAge),
		kgo.RetryBackoffFn(func(tries int) time.Duration {
			if wait := time.Duration(tries) * 50 * time.Millisecond; wait < longestRetryWait {
				return wait
			}
			return longestRetryWait
		}),
	}, options...)...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return client
}

func newSender() *sender {
	return &sender{
		results:      newResults("producer"),
		nextSequence: make([]int, partitions),
		client: newClient(
			kgo.DefaultProduceTopic(topic),
			kgo.RecordPartitioner(kgo.ManualPartitioner()),
			kgo.RequiredAcks(kgo.AllISRAcks()),
			kgo.ProducerBatchCompression(kgo.NoCompression()),
			kgo.ProducerLinger(5*time.Millisecond),
			kgo.UnknownTopicRetries(-1)),
	}
}

func (s *sender) run(stopping <-chan struct{}) {
	count := rate * int(tick/time.Millisecond) / 1000
	if count < 1 {
		count = 1
	}
	ticks := time.NewTicker(tick)
	for partition := 0; ; {
		select {
		case <-stopping:
			ticks.Stop()
			s.end()
			return
		case <-ticks.C:
		}
		if atomic.LoadInt64(&s.unanswered)+int64(count) <= mostUnanswered {
			s.send(partition, count)
			partition = (partition + 1) % partitions
		}
	}
}

func (s *sender) send(partition, count int) {
	first := s.nextSequence[partition]
	s.nextSequence[partition] = first + count
	s.results.write("sending", fields{"partition": partition, "sequence": first, "count": count})
	for sequence := first; sequence < first+count; sequence++ {
		sequence := sequence
		atomic.AddInt64(&s.unanswered, 1)
		record := &kgo.Record{Partition: int32(partition), Value: encode(partition, sequence)}
		s.client.Produce(context.Background(), record, func(answered *kgo.Record, err error) {
			s.answered(partition, sequence, answered.Offset, err)
		})
	}
}

func (s *sender) answered(partition, sequence int, offset int64, err error) {
	atomic.AddInt64(&s.unanswered, -1)
	if err != nil {
		s.results.write("given-up", fields{"partition": partition, "sequence": sequence, "error": err.Error()})
		return
	}
	if offset < 0 {
		offset = -1
	}
	atomic.AddInt64(&s.acknowledged, 1)
	acknowledgedEnd[partition].raise(offset + 1)
	s.results.write("acknowledged", fields{"partition": partition, "sequence": sequence, "offset": offset})
}

func (s *sender) end() {
	deadline, cancel := context.WithTimeout(context.Background(), flushPatience)
	defer cancel()
	if err := s.client.Flush(deadline); err != nil {
		s.results.trouble(err)
	}
	s.results.write("ended", fields{"records": atomic.LoadInt64(&s.acknowledged), "unfinished": atomic.LoadInt64(&s.unanswered)})
}
