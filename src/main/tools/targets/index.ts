import type { Target } from '../target'
import { claudeCode } from './claude-code'
import { openCode } from './opencode'

/** Every tool this app can configure. */
export const targets: readonly Target[] = [claudeCode, openCode]
