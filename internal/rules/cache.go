package rules

import "sync"

// A cache keeps what was compiled. Its zero value is empty; it is safe for concurrent use.
type cache[K comparable, V any] struct {
	mu   sync.RWMutex
	held map[K]V
}

func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.held[key]
	return v, ok
}

// put keeps v, unless another was faster, and returns what is kept.
func (c *cache[K, V]) put(key K, v V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first, ok := c.held[key]; ok {
		return first
	}
	if c.held == nil {
		c.held = map[K]V{}
	}
	c.held[key] = v
	return v
}
