import { claudeCodeLog } from './claude-code'
import { clineLog } from './cline'
import { continueLog } from './continue'
import { droidLog } from './droid'
import { kiloLog, openCodeLog } from './opencode'
import { piLog } from './pi'
import { qwenCodeLog } from './qwen-code'
import type { ToolLog } from './tool-log'

/** Every log that can be read, in the order in which they are shown. */
export const toolLogs: readonly ToolLog[] = [
  claudeCodeLog,
  openCodeLog,
  kiloLog,
  qwenCodeLog,
  continueLog,
  clineLog,
  piLog,
  droidLog,
]
