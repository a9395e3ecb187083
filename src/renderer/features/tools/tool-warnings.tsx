import type { ToolWarning } from '@shared/contract'
import { Info, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Code } from '../../ui/code'
import styles from './tool-warnings.module.css'

type WarningCode = ToolWarning['code']

/** Warnings that are about harm; the others only tell. */
const grave: readonly WarningCode[] = ['plainText', 'otherProviderSwitch', 'sessionVault', 'shellVariable']

/** Marks where the subject goes in a sentence, so that it can be set in its own face. */
const place = '\u2028'

const subjectOf: Partial<Record<WarningCode, 'settings' | 'keyFile' | 'copy' | 'variable'>> = {
  plainText: 'settings',
  keyFile: 'keyFile',
  commentsMoved: 'copy',
  shellVariable: 'variable',
  otherProviderSwitch: 'variable',
  fileChangedSince: 'settings',
}

/** What to know before writing, each in a sentence; the grave ones first. */
export function ToolWarnings({ warnings, tool }: { warnings: readonly ToolWarning[]; tool: string }) {
  const { t } = useTranslation('tools')
  if (warnings.length === 0) return null
  const weight = ({ code }: ToolWarning): number => (grave.includes(code) ? 0 : 1)
  const sorted = [...warnings].sort((a, b) => weight(a) - weight(b))
  return (
    <ul className={styles.list} aria-label={t('warnings.title')}>
      {sorted.map(({ code, subject }) => {
        const isGrave = grave.includes(code)
        const Icon = isGrave ? TriangleAlert : Info
        const named = subject ?? t(`warnings.subjects.${subjectOf[code] ?? 'settings'}`)
        const [before, after] = t(`warnings.${code}`, { subject: place, tool }).split(place)
        return (
          <li key={`${code}${subject ?? ''}`} className={isGrave ? styles.grave : styles.plain}>
            <Icon size={15} strokeWidth={1.9} aria-hidden="true" />
            <span>
              {before}
              {after === undefined ? null : subject === undefined ? named : <Code>{subject}</Code>}
              {after}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
