import type { AuditEntry, AuditVerdict } from '@shared/contract'
import type { Command } from 'commander'
import words from '../../renderer/locales/en/register.json'
import { readWholeNumber } from './options'
import type { CommandContext } from './output'
import { listLines, printOutput } from './output'

export function addAuditCommands(program: Command, context: () => CommandContext): void {
  const audit = program.command('audit').description('the audit log of key actions')
  audit
    .command('list')
    .option('--limit <n>', 'number of entries', readWholeNumber(1, 500), 50)
    .option('--before <n>', 'only entries before this number', readWholeNumber(1, Number.MAX_SAFE_INTEGER))
    .description('list key actions, newest first')
    .action(async (page: { limit: number; before?: number }) => {
      const { core, output } = context()
      const entries = await core.audit.list(page)
      printOutput(output, entries, () => listLines(entries, headings, auditRow, 'No entries yet.'))
    })
  audit
    .command('verify')
    .description('verify the audit log (exit 1 if a line was changed, removed or moved)')
    .action(async () => {
      const { core, output } = context()
      const auditVerdict = await core.audit.verify()
      printOutput(output, auditVerdict, () => [verdictLine(auditVerdict)])
      if (!auditVerdict.isWhole) process.exitCode = 1
    })
}

const headings = ['NUMBER', 'AT', 'WHAT', 'PLAN', 'KEY', 'SUBJECT', 'BY', 'USER']

const auditRow = ({ number, at, what, secretKind, planName, keyName, subject, by, osUser }: AuditEntry): string[] => [
  String(number),
  at,
  words.audit.what[what],
  planName ?? '-',
  keyName ?? '-',
  [secretKind, subject].filter(Boolean).join(' of ') || '-',
  by,
  osUser ?? '-',
]

const reasons: Readonly<Record<NonNullable<AuditVerdict['reason']>, string>> = {
  changed: 'was changed',
  removed: 'is missing, or lines before it are',
  unreadable: 'cannot be read',
}

function verdictLine({ isWhole: isComplete, count, brokenAt, reason = 'changed' }: AuditVerdict): string {
  if (isComplete) return `The audit log is intact: ${count} ${count === 1 ? 'entry' : 'entries'}.`
  return `The audit log was modified: line ${brokenAt} ${reasons[reason]}. The lines before it are intact. Lines in total: ${count}.`
}
