import type { UnsupportedTarget } from '../target'

/** Codex CLI: speaks only the Responses protocol, without falling back; one line of another stops it from starting. */
export const codex: UnsupportedTarget = {
  kind: 'unsupported',
  id: 'codex',
  name: 'Codex CLI',
  standard: 'chat-completions',
  executables: ['codex'],
  install: { command: 'npm install -g @openai/codex' },
  sites: ['user'],
  evidence: { kind: 'run', version: '0.169.0' },
  reason: 'responsesOnly',
}
