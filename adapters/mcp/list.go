package capmcp

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long, and by whom, lists may be cached. The registry is sealed, but the program behind the address may be replaced.
const (
	cacheTTL     = 5 * time.Minute
	cachePublic  = "public"
	cachePrivate = "private"
)

// setCacheable gives what the server answers by itself a time to live.
func setCacheable(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	if c.TTLMs == 0 {
		c.TTLMs = int(cacheTTL.Milliseconds())
	}
}

// list answers tools/list: the registry's tools that the caller may see, in the order of registration, then those that were
// added to the server by other means.
func (a *Adapter) list(ctx context.Context, next mcp.MethodHandler, req mcp.Request) (mcp.Result, error) {
	result, err := next(ctx, methodList, req)
	if err != nil {
		return nil, err
	}
	listed, ok := result.(*mcp.ListToolsResult)
	if !ok {
		return result, nil
	}
	who := callerOf(ctx, req)
	var ours []*tool
	var others []*mcp.Tool
	for _, declared := range listed.Tools {
		t, known := a.byName[declared.Name]
		switch {
		case !known:
			others = append(others, declared)
		case a.visible(t, who.principal):
			ours = append(ours, t)
		}
	}
	slices.SortFunc(ours, func(x, y *tool) int { return cmp.Compare(x.index, y.index) })
	return a.listing(req, ours, others, listed), nil
}

func (a *Adapter) listing(req mcp.Request, ours []*tool, others []*mcp.Tool, listed *mcp.ListToolsResult) *rawResult {
	size := 64
	for _, t := range ours {
		size += len(t.listed) + 1
	}
	entries := append(make([]byte, 0, size), '[')
	for _, t := range ours {
		entries = append(append(entries, t.listed...), ',')
	}
	for _, t := range others {
		entries = append(append(entries, marshal(t)...), ',')
	}
	if last := len(entries) - 1; entries[last] == ',' {
		entries = entries[:last]
	}
	scope := listed.CacheScope
	if a.options.Visible != nil {
		scope = cachePrivate
	}
	body := appendMember([]byte("{"), "tools", append(entries, ']'))
	if listed.NextCursor != "" {
		body = appendMember(body, "nextCursor", appendString(nil, listed.NextCursor))
	}
	body = appendMember(body, "ttlMs", strconv.AppendInt(nil, int64(listed.TTLMs), 10))
	body = appendMember(body, "cacheScope", appendString(nil, cmp.Or(scope, cachePublic)))
	version := protocolVersion(req)
	result := newRawResult(body, version)
	a.keepList(result, version, len(others), listed.NextCursor != "")
	return result
}
