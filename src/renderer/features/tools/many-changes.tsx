import type { ManyPreview, ToolChanges, ToolView } from '@shared/contract'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { countChanges } from '../../ui/diff-view-rows'
import { FileChanges } from './file-changes'
import { changesNothing } from './idle'
import { LineCounts } from './line-counts'
import styles from './many-changes.module.css'
import { siteText } from './sites'
import { ToolMark } from './tool-mark'
import { useSiteWords } from './use-site-words'

/** More than this many tools begin folded. */
const openAtMost = 3

const keyOf = ({ toolId, site }: ToolChanges): string => `${toolId} ${siteText(site)}`

function Sums({ changes }: { readonly changes: ToolChanges }) {
  const { t } = useTranslation('tools')
  const sums = changes.files.map(({ lines }) => countChanges(lines))
  const added = sums.reduce((sum, one) => sum + one.added, 0)
  const removed = sums.reduce((sum, one) => sum + one.removed, 0)
  const files = changes.files.filter(({ action }) => action !== 'none').length
  if (files === 0) return <Badge>{t(changesNothing(changes) ? 'fileActions.none' : 'route.onlyWay')}</Badge>
  return (
    <span className={styles.sums}>
      <span>{t('many.files', { count: files })}</span>
      <LineCounts added={added} removed={removed} />
    </span>
  )
}

interface GroupProps {
  readonly changes: ToolChanges
  readonly name: string
  readonly isOpen: boolean
  readonly onToggle: () => void
  /** What else belongs to this tool, such as its warnings; always in sight. */
  readonly children?: ReactNode
}

function Group({ changes, name, isOpen, onToggle, children }: GroupProps) {
  const siteWords = useSiteWords()
  const id = useId()
  const { site, requestAddress, files } = changes
  return (
    <section className={styles.group} aria-labelledby={id}>
      <h3>
        <button type="button" className={styles.head} aria-expanded={isOpen} onClick={onToggle}>
          <ChevronRight size={14} strokeWidth={2} className={styles.chevron} aria-hidden="true" />
          <ToolMark tool={{ name }} />
          <span className={styles.words}>
            <span id={id} className={styles.name}>
              {name}
              {site.kind === 'user' ? null : <span className={styles.site}>{siteWords(site)}</span>}
            </span>
            {requestAddress === undefined ? null : (
              <Code quiet title={requestAddress}>
                POST {requestAddress}
              </Code>
            )}
          </span>
          <Sums changes={changes} />
        </button>
      </h3>
      {children ? <div className={styles.notes}>{children}</div> : null}
      {isOpen ? (
        <div className={styles.body}>
          <FileChanges files={files} />
        </div>
      ) : null}
    </section>
  )
}

interface ManyChangesProps {
  readonly preview: ManyPreview
  readonly tools: readonly ToolView[]
  /** What else to show with a tool's changes. */
  readonly notesOf?: (changes: ToolChanges) => ReactNode
}

/** The changes of several tools, one group each: its request address, how much changes, and the files when it is unfolded. */
export function ManyChanges({ preview, tools, notesOf }: ManyChangesProps) {
  const { t } = useTranslation('tools')
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [startsOpen, setStartsOpen] = useState(preview.tools.length <= openAtMost)
  const nameOf = (id: string): string => tools.find((tool) => tool.id === id)?.name ?? id
  const setAll = (isOpen: boolean): void => {
    setStartsOpen(isOpen)
    setToggled(new Set())
  }
  const toggle = (key: string): void =>
    setToggled((before) => {
      const next = new Set(before)
      if (!next.delete(key)) next.add(key)
      return next
    })
  const isOpen = (changes: ToolChanges): boolean => startsOpen !== toggled.has(keyOf(changes))
  const isAnyOpen = preview.tools.some(isOpen)
  return (
    <div className={styles.groups}>
      {preview.tools.length > 1 ? (
        <Button size="sm" variant="ghost" className={styles.all} onClick={() => setAll(!isAnyOpen)}>
          {t(isAnyOpen ? 'many.foldAll' : 'many.unfoldAll')}
        </Button>
      ) : null}
      {preview.tools.map((changes) => (
        <Group
          key={keyOf(changes)}
          changes={changes}
          name={nameOf(changes.toolId)}
          isOpen={isOpen(changes)}
          onToggle={() => toggle(keyOf(changes))}
        >
          {notesOf?.(changes)}
        </Group>
      ))}
    </div>
  )
}
