/** Maximum size of one message to the MCP server, in bytes. */
export const maxMcpMessageBytes = 2_000_000

/** Maximum number of keys per query of last uses, because each key takes a request. */
export const maxLastUses = 50

/** Limits of the platform (spec, "Limits"). The window shows them, and main enforces them. */
export const limits = {
  /** Maximum length of names of the platform's keys and of items that this app saves. */
  nameCharacters: 50,
  planName: /^[a-zA-Z0-9_.-]{1,50}$/,
  /** Pattern of names of agent identities and authentication providers. */
  identityName: /^[a-zA-Z0-9_-]{1,50}$/,
  /** Pattern of names of memories, which may be empty. */
  memoryName: /^[a-zA-Z0-9._-]{0,50}$/,
  /** Pattern of names of platform API keys. The spec escapes it as in a quoted string, so its `\\-` is a hyphen. */
  apiKeyName: /^[a-z0-9-]{5,50}$/,
  replicas: { min: 1, max: 10 },
  /** Autoscaling threshold of CPU and memory utilization, in percent. */
  threshold: { min: 25, max: 75 },
  expiryDays: { min: 1, max: 365 },
  logFrom: { min: 0, max: 5000 },
  logLimit: { min: 1, max: 1000 },
  searchLimit: { min: 5, max: 200 },
  scoreThreshold: { min: 0, max: 1 },
} as const
