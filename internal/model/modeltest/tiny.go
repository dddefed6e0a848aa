//go:build ollama

package modeltest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/ollama/ollama/fs/ggml"
)

// The tiny model: a llama of random weights, about half a megabyte.
const (
	tinyWidth   = 64
	tinyLayers  = 2
	tinyHeads   = 4
	tinyForward = 128
)

// WriteTiny writes a llama with random weights and a byte-level vocabulary. It
// says noise, but loads, counts, obeys grammars and overflows like a real one.
func WriteTiny(f *os.File, context int) error {
	tokens, kinds := tinyVocabulary()
	kv := ggml.KV{
		"general.architecture":                   "llama",
		"general.name":                           "tiny",
		"general.file_type":                      uint32(0), // F32
		"llama.context_length":                   uint32(context),
		"llama.embedding_length":                 uint32(tinyWidth),
		"llama.block_count":                      uint32(tinyLayers),
		"llama.feed_forward_length":              uint32(tinyForward),
		"llama.attention.head_count":             uint32(tinyHeads),
		"llama.attention.head_count_kv":          uint32(tinyHeads),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5),
		"llama.rope.dimension_count":             uint32(tinyWidth / tinyHeads),
		"llama.vocab_size":                       uint32(len(tokens)),
		"tokenizer.ggml.model":                   "gpt2",
		"tokenizer.ggml.pre":                     "default",
		"tokenizer.ggml.tokens":                  tokens,
		"tokenizer.ggml.token_type":              kinds,
		"tokenizer.ggml.merges":                  []string{"Ġ Ġ"},
		"tokenizer.ggml.bos_token_id":            uint32(len(tokens) - 2),
		"tokenizer.ggml.eos_token_id":            uint32(len(tokens) - 1),
	}
	return ggml.WriteGGUF(f, kv, tinyTensors(len(tokens)))
}

// tinyVocabulary is every byte in the spelling of byte-level BPE, two spaces as
// the one merged token, and the two marks.
func tinyVocabulary() (tokens []string, kinds []int32) {
	extra := rune(256)
	for b := range rune(256) {
		spelled := b
		if b <= ' ' || (b >= 0x7f && b <= 0xa0) || b == 0xad {
			spelled = extra
			extra++
		}
		tokens, kinds = append(tokens, string(spelled)), append(kinds, 1)
	}
	tokens = append(tokens, "ĠĠ", "<s>", "</s>")
	return tokens, append(kinds, 1, 3, 3)
}

func tinyTensors(vocab int) []*ggml.Tensor {
	const w, ff = tinyWidth, tinyForward
	r := rand.New(rand.NewPCG(1, 2)) // the same model every time
	var list []*ggml.Tensor
	add := func(name string, ones bool, shape ...uint64) {
		n := uint64(1)
		for _, s := range shape {
			n *= s
		}
		values := make([]float32, n)
		for i := range values {
			if ones {
				values[i] = 1
			} else {
				values[i] = float32(r.NormFloat64() * 0.05)
			}
		}
		var b bytes.Buffer
		_ = binary.Write(&b, binary.LittleEndian, values) // a buffer takes everything
		list = append(list, &ggml.Tensor{Name: name, Shape: shape, WriterTo: &b})
	}
	add("token_embd.weight", false, w, uint64(vocab))
	add("output_norm.weight", true, w)
	add("output.weight", false, w, uint64(vocab))
	for i := range tinyLayers {
		blk := fmt.Sprintf("blk.%d.", i)
		add(blk+"attn_norm.weight", true, w)
		add(blk+"attn_q.weight", false, w, w)
		add(blk+"attn_k.weight", false, w, w)
		add(blk+"attn_v.weight", false, w, w)
		add(blk+"attn_output.weight", false, w, w)
		add(blk+"ffn_norm.weight", true, w)
		add(blk+"ffn_gate.weight", false, w, ff)
		add(blk+"ffn_up.weight", false, w, ff)
		add(blk+"ffn_down.weight", false, ff, w)
	}
	return list
}
