/** Maximum size of one message to the MCP server, in bytes. */
export const maxMcpMessageBytes = 2_000_000

/** The limits of the platform (spec, "Limits"), each once: main refuses what breaks one, the window says so before. */
export const limits = {
  /** Of names: those of the platform's keys, and of what this app keeps. */
  nameCharacters: 50,
  planName: /^[a-zA-Z0-9_.-]{1,50}$/,
  /** Agent identities and authentication providers. */
  identityName: /^[a-zA-Z0-9_-]{1,50}$/,
  /** An empty one is allowed. */
  memoryName: /^[a-zA-Z0-9._-]{0,50}$/,
  /** Platform API keys; the spec writes the pattern as a quoted string does, so its `\\-` is a hyphen. */
  apiKeyName: /^[a-z0-9-]{5,50}$/,
  replicas: { min: 1, max: 10 },
  /** CPU and memory utilization, in percent. */
  threshold: { min: 25, max: 75 },
  expiryDays: { min: 1, max: 365 },
  logFrom: { min: 0, max: 5000 },
  logLimit: { min: 1, max: 1000 },
  searchLimit: { min: 5, max: 200 },
  scoreThreshold: { min: 0, max: 1 },
} as const
