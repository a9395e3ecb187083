/** What a person types to get a tool, by tool id. */
export const installCommands: Readonly<Record<string, string | undefined>> = {
  'claude-code': 'npm install -g @anthropic-ai/claude-code',
  opencode: 'npm install -g opencode-ai',
}
