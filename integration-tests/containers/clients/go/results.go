package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// fields of a line.
type fields map[string]any

// resultsFile is a file of lines, each written with one call.
type resultsFile struct {
	file        *os.File
	mutex       sync.Mutex
	lastTrouble time.Time
}

func newResults(role string) *resultsFile {
	name := filepath.Join(results, fmt.Sprintf("%s-%d-%s.jsonl", language, run, role))
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	opened := &resultsFile{file: file}
	opened.write("started", fields{"language": language, "topic": topic, "run": run, "group": group})
	return opened
}

func (r *resultsFile) write(event string, more fields) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	more["event"] = event
	more["at"] = time.Now().UnixMilli()
	line, err := json.Marshal(more)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (r *resultsFile) trouble(err error) {
	r.mutex.Lock()
	tooSoon := time.Since(r.lastTrouble) < 100*time.Millisecond
	if !tooSoon {
		r.lastTrouble = time.Now()
	}
	r.mutex.Unlock()
	if !tooSoon {
		r.write("trouble", fields{"error": err.Error()})
	}
}
