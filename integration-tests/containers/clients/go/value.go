package main

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

func encode(partition, sequence int) []byte {
	filler := strings.Repeat(string(rune('a'+sequence%26)), 50+31*sequence%200)
	text := fmt.Sprintf("%s %s %d %d %d %s", language, topic, partition, run, sequence, filler)
	return []byte(fmt.Sprintf("%s %08x", text, crc32.ChecksumIEEE([]byte(text))))
}

// decode returns run and sequence of the value; not ok if the value is altered or belongs elsewhere.
func decode(value []byte, partition int32) (run, sequence int64, ok bool) {
	end := bytes.LastIndexByte(value, ' ')
	if end < 0 || string(value[end+1:]) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(value[:end])) {
		return -1, -1, false
	}
	parts := strings.Split(string(value[:end]), " ")
	if len(parts) != 6 || parts[1] != topic || parts[2] != strconv.Itoa(int(partition)) {
		return -1, -1, false
	}
	run, runError := strconv.ParseInt(parts[3], 10, 64)
	sequence, sequenceError := strconv.ParseInt(parts[4], 10, 64)
	return run, sequence, runError == nil && sequenceError == nil
}
