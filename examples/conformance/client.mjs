// Lists and calls with the TypeScript SDK, the client that most programs use.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import assert from "node:assert";

const [url, command, ...args] = process.argv.slice(2);

async function check(name, transport) {
  const client = new Client({ name: "conformance", version: "1.0.0" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert(tools.length > 10, `${tools.length} tools`);
  const answer = await client.callTool({ name: "test_x_mcp_header", arguments: { region: "north" } });
  assert.deepStrictEqual(answer.structuredContent, { text: "region=north" });
  const failed = await client.callTool({ name: "test_error_handling", arguments: {} });
  assert.strictEqual(failed.isError, true);
  assert.strictEqual(JSON.parse(failed.content[0].text).tag, "Intended");
  let steps = 0;
  await client.callTool({ name: "test_tool_with_progress", arguments: {} }, undefined, { onprogress: () => steps++ });
  assert.strictEqual(steps, 3, "reports of progress");
  await client.close();
  console.log(`TypeScript SDK over ${name}: ${tools.length} tools listed, calls as expected`);
}

await check("HTTP", new StreamableHTTPClientTransport(new URL(url)));
await check("stdio", new StdioClientTransport({ command, args }));
