// Produces lines or consumes records with franz-go; LanguageClient describes the arguments.
// With SASL_USERNAME and SASL_PASSWORD it logs in by PLAIN.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

const patience = 45 * time.Second

func login() kgo.Opt {
	user := os.Getenv("SASL_USERNAME")
	if user == "" {
		return kgo.SASL()
	}
	return kgo.SASL(plain.Auth{User: user, Pass: os.Getenv("SASL_PASSWORD")}.AsMechanism())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func produce(ctx context.Context, bootstrap, topic string) {
	client, err := kgo.NewClient(login(), kgo.SeedBrokers(bootstrap), kgo.DefaultProduceTopic(topic))
	check(err)
	defer client.Close()
	failures := make(chan error, 1)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		client.Produce(ctx, kgo.StringRecord(lines.Text()), func(_ *kgo.Record, err error) {
			if err != nil {
				select {
				case failures <- err:
				default:
				}
			}
		})
	}
	check(lines.Err())
	check(client.Flush(ctx))
	select {
	case err := <-failures:
		check(err)
	default:
	}
}

func consume(ctx context.Context, bootstrap, topic, group string, count int) {
	client, err := kgo.NewClient(login(), kgo.SeedBrokers(bootstrap), kgo.ConsumeTopics(topic), kgo.ConsumerGroup(group),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	check(err)
	defer client.Close()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for received := 0; received < count; {
		fetches := client.PollFetches(ctx)
		check(fetches.Err0())
		fetches.EachError(func(_ string, _ int32, err error) { check(err) })
		fetches.EachRecord(func(record *kgo.Record) {
			fmt.Fprintf(out, "%d\t%s\n", record.Partition, record.Value)
			received++
		})
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if os.Args[3] == "lines" {
		produce(context.Background(), os.Args[1], os.Args[2])
		return
	}
	if os.Args[3] == "produce" {
		produce(ctx, os.Args[1], os.Args[2])
		return
	}
	count, err := strconv.Atoi(os.Args[5])
	check(err)
	consume(ctx, os.Args[1], os.Args[2], os.Args[4], count)
}
