import { diffArrays, diffWordsWithSpace } from 'diff'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { joinClassNames } from '../../../ui/cn'
import { DiffView, type DiffViewLine } from '../../../ui/diff-view'
import { SegmentedControl } from '../../../ui/radio-cards'

const diffLayouts = ['split', 'inline', 'words'] as const
type DiffLayoutName = (typeof diffLayouts)[number]

const addedClass = 'bg-added text-added-mark'
const removedClass = 'bg-removed text-removed-mark'
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
          <ins key={at} className={joinClassNames(addedClass, 'no-underline')}>
            {text}
          </ins>
        ) : (
          <del key={at} className={removedClass}>
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
  const [layout, setLayout] = useState<DiffLayoutName>('split')
  return (
    <div className="flex flex-col gap-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="flex min-w-0 flex-1 basis-50 flex-wrap gap-x-2 gap-y-1 text-sm">
          <del className={joinClassNames(nameClass, removedClass, 'before:content-["−_"]')}>{names[0]}</del>
          <ins className={joinClassNames(nameClass, addedClass, 'before:content-["+_"]')}>{names[1]}</ins>
        </p>
        <SegmentedControl
          label={t('diff.way')}
          value={layout}
          onValueChange={setLayout}
          segments={diffLayouts.map((value) => ({ value, label: t(`diff.ways.${value}`) }))}
        />
      </div>
      {before === after ? (
        <p className="text-muted">{t('diff.same')}</p>
      ) : (
        <div className="overflow-hidden rounded-lg border bg-surface">
          {layout === 'words' ? <WordsDiff {...props} /> : <Lines {...props} layout={layout} />}
        </div>
      )}
    </div>
  )
}

const contextLines = 3
/** Maximum time of a diff in ms. Very different texts take quadratic time. */
const timeoutMs = 400

const splitLines = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\n|\r/))

function collapseUnchanged(lines: readonly DiffViewLine[]): DiffViewLine[] {
  const nearChangeFlags = lines.map(() => false)
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') nearChangeFlags.fill(true, Math.max(0, index - contextLines), index + contextLines + 1)
  }
  const shownLines: DiffViewLine[] = []
  let hiddenCount = 0
  const close = (): void => {
    if (hiddenCount > 0) shownLines.push({ kind: 'gap', count: hiddenCount })
    hiddenCount = 0
  }
  for (const [index, line] of lines.entries()) {
    if (nearChangeFlags[index]) {
      close()
      shownLines.push(line)
    } else hiddenCount += 1
  }
  close()
  return shownLines
}

/** Line diff with three lines of context. On timeout, the whole text counts as replaced. */
export function diffLines(textBefore: string, textAfter: string): readonly DiffViewLine[] {
  const [oldLines, newLines] = [splitLines(textBefore), splitLines(textAfter)]
  const changes = diffArrays(oldLines, newLines, { timeout: timeoutMs }) ?? [
    { count: oldLines.length, added: false, removed: true, value: oldLines },
    { count: newLines.length, added: true, removed: false, value: newLines },
  ]
  let oldLine = 1
  let newLineNumber = 1
  const lines = changes.flatMap(({ added, removed, value }) =>
    value.map((text): DiffViewLine => {
      if (removed) return { kind: 'removed', text, oldLine: oldLine++ }
      if (added) return { kind: 'added', text, newLine: newLineNumber++ }
      return { kind: 'same', text, oldLine: oldLine++, newLine: newLineNumber++ }
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
export const diffWords = (textBefore: string, textAfter: string): readonly WordChange[] | undefined =>
  diffWordsWithSpace(textBefore, textAfter, { timeout: timeoutMs })?.map(({ value, added, removed }, index) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
    at: index,
  }))
