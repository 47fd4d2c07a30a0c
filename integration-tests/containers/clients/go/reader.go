package main

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

type reader struct {
	results *resultsFile
	client  *kgo.Client
	read    int64
	readEnd []int64
	// Guards the two maps: rebalances come from a goroutine of the library.
	mutex     sync.Mutex
	positions map[int32]int64
	committed map[int32]int64
}

func newReader() *reader {
	r := &reader{
		results:   newResults("consumer"),
		readEnd:   make([]int64, partitions),
		positions: map[int32]int64{},
		committed: map[int32]int64{},
	}
	r.client = newClient(
		kgo.ConsumeTopics(topic),
		kgo.ConsumerGroup(group),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.DisableAutoCommit(),
		// Rebalances wait until the polled records are written to the results.
		kgo.BlockRebalanceOnPoll(),
		kgo.SessionTimeout(10*time.Second),
		kgo.HeartbeatInterval(time.Second),
		kgo.FetchMaxWait(500*time.Millisecond),
		kgo.OnPartitionsAssigned(r.assigned),
		kgo.OnPartitionsRevoked(r.revoked),
		kgo.OnPartitionsLost(r.lost))
	return r
}

func (r *reader) run(flushed <-chan struct{}) {
	lastCommit := time.Now()
	var giveUp time.Time
	for giveUp.IsZero() || (r.behind() > 0 && time.Now().Before(giveUp)) {
		r.poll()
		if time.Since(lastCommit) >= commitEvery {
			r.commit()
			lastCommit = time.Now()
		}
		r.client.AllowRebalance()
		select {
		case <-flushed:
			if giveUp.IsZero() {
				giveUp = time.Now().Add(catchUpPatience)
			}
		default:
		}
	}
	r.commit()
	r.client.AllowRebalance()
	r.client.Close()
	r.results.write("ended", fields{"records": r.read, "unfinished": r.behind()})
}

func (r *reader) poll() {
	patience, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	fetches := r.client.PollFetches(patience)
	fetches.EachError(func(_ string, _ int32, err error) {
		if err != context.DeadlineExceeded {
			r.results.trouble(err)
		}
	})
	fetches.EachRecord(r.take)
}

func (r *reader) take(record *kgo.Record) {
	run, sequence, ok := decode(record.Value, record.Partition)
	r.results.write("read", fields{
		"partition": record.Partition, "offset": record.Offset, "run": run, "sequence": sequence, "intact": ok,
	})
	r.read++
	r.mutex.Lock()
	r.positions[record.Partition] = record.Offset + 1
	r.mutex.Unlock()
	if end := record.Offset + 1; end > r.readEnd[record.Partition] {
		r.readEnd[record.Partition] = end
	}
}

func (r *reader) behind() int64 {
	var sum int64
	for partition := range acknowledgedEnd {
		if end := acknowledgedEnd[partition].load(); end > r.readEnd[partition] {
			sum += end - r.readEnd[partition]
		}
	}
	return sum
}

func (r *reader) commit() {
	r.mutex.Lock()
	moved := map[int32]kgo.EpochOffset{}
	offsets := map[string]int64{}
	for partition, offset := range r.positions {
		if r.committed[partition] != offset {
			moved[partition] = kgo.EpochOffset{Epoch: -1, Offset: offset}
			offsets[strconv.Itoa(int(partition))] = offset
		}
	}
	r.mutex.Unlock()
	if len(moved) == 0 {
		return
	}
	since := time.Now().UnixMilli()
	patience, cancel := context.WithTimeout(context.Background(), requestOverhead)
	defer cancel()
	if err := r.commitNow(patience, moved); err != nil {
		r.results.write("committed", fields{"since": since, "offsets": offsets, "outcome": "unknown", "error": err.Error()})
		return
	}
	r.results.write("committed", fields{"since": since, "offsets": offsets, "outcome": "ok"})
	r.mutex.Lock()
	for partition, offset := range moved {
		r.committed[partition] = offset.Offset
	}
	r.mutex.Unlock()
}

func (r *reader) commitNow(patience context.Context, offsets map[int32]kgo.EpochOffset) error {
	var refused error
	answered := func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, response *kmsg.OffsetCommitResponse, err error) {
		refused = err
		if err != nil {
			return
		}
		for _, ofTopic := range response.Topics {
			for _, ofPartition := range ofTopic.Partitions {
				if code := ofPartition.ErrorCode; code != 0 {
					refused = kerr.ErrorForCode(code)
				}
			}
		}
	}
	r.client.CommitOffsetsSync(patience, map[string]map[int32]kgo.EpochOffset{topic: offsets}, answered)
	return refused
}

func (r *reader) assigned(_ context.Context, _ *kgo.Client, added map[string][]int32) {
	if len(added[topic]) > 0 {
		r.results.write("assigned", fields{"partitions": added[topic]})
	}
}

func (r *reader) revoked(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	r.commit()
	r.forget(gone)
}

func (r *reader) lost(_ context.Context, _ *kgo.Client, gone map[string][]int32) {
	r.forget(gone)
}

func (r *reader) forget(gone map[string][]int32) {
	if len(gone[topic]) == 0 {
		return
	}
	r.results.write("revoked", fields{"partitions": gone[topic]})
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, partition := range gone[topic] {
		delete(r.positions, partition)
		delete(r.committed, partition)
	}
}
