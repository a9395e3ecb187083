import type { HistoryEntry, ToolView } from '@shared/contract'
import { ChevronDown, History, type LucideIcon, RotateCcw, Undo2, Unlink, Wrench } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { Facts, RowMark } from '../../ui/rows'
import { siteText } from '../tools/sites'
import { useSiteWords } from '../tools/use-site-words'
import styles from './history.module.css'
import { rewindPath } from './use-undo-last'

type Change = HistoryEntry['tools'][number]

const icons: Record<Change['kind'], LucideIcon> = { apply: Wrench, restore: Undo2, rewind: History, letGo: Unlink }

function ChangeDetails({ change, name }: { readonly change: Change; readonly name: string }) {
  const { t } = useTranslation(['history', 'tools'])
  const siteWords = useSiteWords()
  const { kind, site, planName, modelCode, delivery, files } = change
  return (
    <li className={styles.change}>
      <p>
        <strong>{name}</strong> <span className={styles.kind}>{t(`history:kinds.${kind}`)}</span>
      </p>
      <Facts
        items={[
          site.kind !== 'user' && siteWords(site),
          planName,
          modelCode !== undefined && (
            <Code key="model" quiet>
              {modelCode}
            </Code>
          ),
          delivery && t(`tools:deliveries.${delivery}`),
        ]}
      />
      <ul className={styles.files}>
        {files.map(({ path, action }) => (
          <li key={path}>
            <Badge>{t(`tools:fileActions.${action}`)}</Badge>
            <Code quiet wrap>
              {path}
            </Code>
          </li>
        ))}
      </ul>
      {files.length === 0 ? <p className={styles.none}>{t('history:noFiles')}</p> : null}
    </li>
  )
}

/** What matters about a write in one line: where, the models, and how many files. */
function Summary({ entry }: { readonly entry: HistoryEntry }) {
  const { t } = useTranslation('history')
  const siteWords = useSiteWords()
  const sites = entry.tools.flatMap(({ site }) => (site.kind === 'user' ? [] : [siteWords(site)]))
  const models = [...new Set(entry.tools.flatMap(({ modelCode }) => modelCode ?? []))]
  const files = entry.tools.flatMap((change) => change.files.filter(({ action }) => action !== 'none'))
  return (
    <Facts
      items={[
        ...new Set(sites),
        ...models.slice(0, 3).map((code) => (
          <Code key={code} quiet>
            {code}
          </Code>
        )),
        files.length > 0 && t('files', { count: files.length }),
      ]}
    />
  )
}

interface EntryRowProps {
  readonly entry: HistoryEntry
  readonly words: string
  readonly tools: readonly ToolView[]
}

/** One write: when, what, and the way back to before it. */
export function EntryRow({ entry, words, tools }: EntryRowProps) {
  const { t } = useTranslation('history')
  const { time, dateTime } = useFormats()
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const nameOf = (toolId: string): string => tools.find((tool) => tool.id === toolId)?.name ?? toolId
  const [first] = entry.tools
  const isUndone = entry.state === 'undone'
  const Icon = isUndone || !first ? RotateCcw : icons[first.kind]
  return (
    <li className={styles.entry}>
      <RowMark>
        <Icon size={14} strokeWidth={1.8} />
      </RowMark>
      <div className={styles.words}>
        <p className={styles.what}>
          <span>{words}</span>
          {isUndone ? <Badge tone="warning">{t('cutOff')}</Badge> : null}
        </p>
        <div className={styles.summary}>{isUndone ? t('cutOffText') : <Summary entry={entry} />}</div>
      </div>
      <time className={styles.time} dateTime={entry.at} title={dateTime(entry.at)}>
        {time(entry.at)}
      </time>
      <div className={styles.actions}>
        <Button
          size="sm"
          variant="ghost"
          icon={ChevronDown}
          className={isOpen ? styles.turned : undefined}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          aria-label={t('detailsNamed', { what: words })}
          onClick={() => setIsOpen(!isOpen)}
        >
          {t('details')}
        </Button>
        {isUndone ? null : (
          <ButtonLink size="sm" to={rewindPath(entry.id)} aria-label={t('goBackNamed', { what: words })}>
            {t('goBack')}
          </ButtonLink>
        )}
      </div>
      {isOpen ? (
        <ul id={id} className={styles.changes}>
          {entry.tools.map((change) => (
            <ChangeDetails
              key={`${change.toolId} ${siteText(change.site)}`}
              change={change}
              name={nameOf(change.toolId)}
            />
          ))}
        </ul>
      ) : null}
    </li>
  )
}
