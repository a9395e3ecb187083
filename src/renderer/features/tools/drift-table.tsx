import type { DriftEntry } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { Code } from '../../ui/code'
import { Segmented } from '../../ui/radio-cards'
import styles from './drift-table.module.css'

interface DriftTableProps {
  readonly entries: readonly DriftEntry[]
  /** The settings that stay as they are in the file. */
  readonly kept: ReadonlySet<string>
  readonly onDecide: (entry: DriftEntry, keeps: boolean) => void
}

/** One value of a setting; the same as what was written is said in words, so that the eye finds what differs. */
function Value({ value, written }: { readonly value: string | undefined; readonly written?: string | undefined }) {
  const { t } = useTranslation('tools')
  if (value === undefined) return <span className={styles.none}>{t('drift.notThere')}</span>
  if (value === written) return <span className={styles.none}>{t('drift.asWritten')}</span>
  return (
    <Code quiet wrap>
      {value}
    </Code>
  )
}

const fileName = (path: string): string => path.split(/[/\\]/).at(-1) ?? path

function Decision({
  entry,
  keeps,
  onDecide,
}: { readonly entry: DriftEntry; readonly keeps: boolean } & Pick<DriftTableProps, 'onDecide'>) {
  const { t } = useTranslation('tools')
  return (
    <Segmented
      label={t('drift.choiceFor', { setting: entry.path })}
      value={keeps ? 'theirs' : 'ours'}
      onValueChange={(value) => onDecide(entry, value === 'theirs')}
      segments={[
        { value: 'theirs', label: t('drift.keepTheirs') },
        { value: 'ours', label: entry.state === 'outdated' ? t('drift.update') : t('drift.putBack') },
      ]}
    />
  )
}

function Setting({ entry, hasFiles }: { readonly entry: DriftEntry; readonly hasFiles: boolean }) {
  const { t } = useTranslation('tools')
  return (
    <>
      <Code quiet wrap>
        {entry.path}
      </Code>
      {entry.role === undefined ? null : <Badge>{t(`drift.roles.${entry.role}`)}</Badge>}
      {hasFiles ? <span className={styles.file}>{fileName(entry.file)}</span> : null}
    </>
  )
}

/** Every setting that differs, three ways: as written, as it is now, as the plan wants it; and what to do about it. */
export function DriftTable({ entries, kept, onDecide }: DriftTableProps) {
  const { t } = useTranslation('tools')
  const hasFiles = new Set(entries.map(({ file }) => file)).size > 1
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className="sr-only">{t('drift.list')}</caption>
        <thead>
          <tr>
            {(['written', 'found', 'wanted', 'choice'] as const).map((column) => (
              <th key={column} scope="col" className={styles[column]}>
                {t(`drift.columns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        {entries.map((entry) => (
          <tbody key={`${entry.file} ${entry.path}`}>
            <tr>
              <th scope="rowgroup" colSpan={3}>
                <Setting entry={entry} hasFiles={hasFiles} />
              </th>
              <td rowSpan={2} className={styles.decision}>
                <Decision entry={entry} keeps={kept.has(entry.path)} onDecide={onDecide} />
              </td>
            </tr>
            <tr className={styles.values}>
              <td>
                <Value value={entry.written} />
              </td>
              <td>
                <Value value={entry.found} written={entry.written} />
              </td>
              <td>
                <Value value={entry.wanted} written={entry.written} />
              </td>
            </tr>
          </tbody>
        ))}
      </table>
    </div>
  )
}
