import { writeFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

// An MCP server for tests. Its argument is a file for its process id.
const [, , pidFile = ''] = process.argv
if (pidFile !== '') writeFileSync(pidFile, String(process.pid))
const server = new McpServer({ name: 'weather', version: '1' })
/** @param {string} text */
const toResult = (text, isError = false) => ({ isError, content: [{ type: /** @type {const} */ ('text'), text }] })
server.registerTool(
  'get_weather',
  { description: 'Weather of a city', inputSchema: { city: z.string() } },
  async ({ city }) =>
    city === 'Nowhere' ? toResult('No such city.', true) : toResult(`31 ${process.env.UNIT ?? '°C'} in ${city}`),
)
server.registerTool('wait', { description: 'Never answers', inputSchema: {} }, () => new Promise(() => {}))
server.registerTool('drop', { description: 'Deletes all', inputSchema: {} }, async () => toResult('gone'))
await server.connect(new StdioServerTransport())
