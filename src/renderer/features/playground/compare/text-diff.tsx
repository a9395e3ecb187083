import { diffArrays, diffWordsWithSpace } from 'diff'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cn } from '../../../ui/cn'
import { DiffView, type DiffViewLine } from '../../../ui/diff-view'
import { SegmentedControl } from '../../../ui/radio-cards'

const diffLayouts = ['split', 'inline', 'words'] as const
type DiffLayoutName = (typeof diffLayouts)[number]

const added = 'bg-added text-added-mark'
const removed = 'bg-removed text-removed-mark'
const nameClass = 'max-w-65 truncate rounded-sm px-1.5 py-px no-underline'

interface DiffTexts {
  readonly before: string
  readonly after: string
  readonly names: readonly [string, string]
}

function Lines({ before, after, names, layout }: DiffTexts & { readonly layout: 'split' | 'inline' }) {
  const { t } = useTranslation('compare')
  const lines = useMemo(() => diffLines(before, after), [before, after])
  const texts = {
    added: t('diff.added'),
    removed: t('diff.removed'),
    secret: '',
    before: names[0],
    after: names[1],
    gap: (count: number) => t('diff.gap', { count }),
  }
  return <DiffView lines={lines} layout={layout} label={t('diff.label')} texts={texts} />
}

function WordsDiff({ before, after }: DiffTexts) {
  const { t } = useTranslation('compare')
  const changes = useMemo(() => diffWords(before, after), [before, after])
  if (!changes) return <p className="text-muted">{t('diff.tooDifferent')}</p>
  return (
    <p className="whitespace-pre-wrap wrap-anywhere px-3.5 py-2.5 leading-5.25">
      {changes.map(({ kind, text, at }) =>
        kind === 'same' ? (
          <span key={at}>{text}</span>
        ) : kind === 'added' ? (
          <ins key={at} className={cn(added, 'no-underline')}>
            {text}
          </ins>
        ) : (
          <del key={at} className={removed}>
            {text}
          </del>
        ),
      )}
    </p>
  )
}

export function TextDiff(props: DiffTexts) {
  const { t } = useTranslation('compare')
  const { before, after, names } = props
  const [way, setWay] = useState<DiffLayoutName>('split')
  return (
    <div className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="flex min-w-0 flex-1 basis-50 flex-wrap gap-x-2 gap-y-1 text-sm">
          <del className={cn(nameClass, removed, 'before:content-["−_"]')}>{names[0]}</del>
          <ins className={cn(nameClass, added, 'before:content-["+_"]')}>{names[1]}</ins>
        </p>
        <SegmentedControl
          label={t('diff.way')}
          value={way}
          onValueChange={(value) => setWay(diffLayouts.find((one) => one === value) ?? 'split')}
          segments={diffLayouts.map((value) => ({ value, label: t(`diff.ways.${value}`) }))}
        />
      </div>
      {before === after ? (
        <p className="text-muted">{t('diff.same')}</p>
      ) : (
        <div className="overflow-hidden rounded-lg border bg-surface">
          {way === 'words' ? <WordsDiff {...props} /> : <Lines {...props} layout={way} />}
        </div>
      )}
    </div>
  )
}

const aroundChanges = 3
/** Maximum time of a diff in ms. Very different texts take quadratic time. */
const timeoutMs = 400

const splitLines = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\n|\r/))

function collapseUnchanged(lines: readonly DiffViewLine[]): DiffViewLine[] {
  const isNear = lines.map(() => false)
  for (const [at, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - aroundChanges), at + aroundChanges + 1)
  }
  const shownLines: DiffViewLine[] = []
  let hiddenCount = 0
  const close = (): void => {
    if (hiddenCount > 0) shownLines.push({ kind: 'gap', count: hiddenCount })
    hiddenCount = 0
  }
  for (const [at, line] of lines.entries()) {
    if (isNear[at]) {
      close()
      shownLines.push(line)
    } else hiddenCount += 1
  }
  close()
  return shownLines
}

/** Line diff with three lines of context. Falls back to one full replacement on timeout. */
export function diffLines(before: string, after: string): readonly DiffViewLine[] {
  const [old, newLines] = [splitLines(before), splitLines(after)]
  const changes = diffArrays(old, newLines, { timeout: timeoutMs }) ?? [
    { count: old.length, added: false, removed: true, value: old },
    { count: newLines.length, added: true, removed: false, value: newLines },
  ]
  let oldLine = 1
  let newLine = 1
  const lines = changes.flatMap(({ added, removed, value }) =>
    value.map((text): DiffViewLine => {
      if (removed) return { kind: 'removed', text, oldLine: oldLine++ }
      if (added) return { kind: 'added', text, newLine: newLine++ }
      return { kind: 'same', text, oldLine: oldLine++, newLine: newLine++ }
    }),
  )
  return collapseUnchanged(lines)
}

interface WordChange {
  readonly kind: 'same' | 'added' | 'removed'
  readonly text: string
  readonly at: number
}

/** Word diff, or undefined on timeout. */
export const diffWords = (before: string, after: string): readonly WordChange[] | undefined =>
  diffWordsWithSpace(before, after, { timeout: timeoutMs })?.map(({ value, added, removed }, at) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
    at,
  }))
