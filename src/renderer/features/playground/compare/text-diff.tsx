import { collapseUnchangedLines } from '@shared/diff-lines'
import { diffArrays, diffWordsWithSpace } from 'diff'
import i18next from 'i18next'
import { useMemo, useState } from 'react'
import { joinClassNames } from '../../../ui/cn'
import { DiffView, type DiffViewLine } from '../../../ui/diff-view'
import { SegmentedControl } from '../../../ui/radio-cards'

const t = i18next.getFixedT(null, 'compare')

const diffLayouts = ['split', 'inline', 'words'] as const

const addedClass = 'bg-added text-added-mark'
const removedClass = 'bg-removed text-removed-mark'
const nameClass = 'max-w-65 truncate rounded-sm px-1.5 py-px no-underline'

interface DiffTexts {
  readonly before: string
  readonly after: string
  readonly names: readonly [string, string]
}

function Lines({ before, after, names, layout }: DiffTexts & { readonly layout: 'split' | 'inline' }) {
  const lines = useMemo(() => diffLines(before, after), [before, after])
  return <DiffView lines={lines} layout={layout} label={t('diff.label')} names={names} />
}

function WordsDiff({ before, after }: DiffTexts) {
  const changes = useMemo(() => diffWordsWithSpace(before, after, { timeout: timeoutMs }), [before, after])
  if (!changes) return <p className="text-muted">{t('diff.tooDifferent')}</p>
  return (
    <p className="whitespace-pre-wrap wrap-anywhere px-3.5 py-2.5 leading-5.25">
      {changes.map(({ value, added, removed }, index) => {
        const Tag = added ? 'ins' : removed ? 'del' : 'span'
        return (
          <Tag
            key={`change-${String(index)}`}
            className={added ? joinClassNames(addedClass, 'no-underline') : removed ? removedClass : undefined}
          >
            {value}
          </Tag>
        )
      })}
    </p>
  )
}

export function TextDiff(props: DiffTexts) {
  const { before, after, names } = props
  const [layout, setLayout] = useState<(typeof diffLayouts)[number]>('split')
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

/** Maximum time of a diff in ms. Very different texts take quadratic time. */
const timeoutMs = 400

const splitLines = (text: string): string[] => (text === '' ? [] : text.split(/\r\n|\n|\r/))

/** Line diff with three lines of context. On timeout, the whole text counts as replaced. */
function diffLines(textBefore: string, textAfter: string): readonly DiffViewLine[] {
  const [oldLines, newLines] = [splitLines(textBefore), splitLines(textAfter)]
  const changes = diffArrays(oldLines, newLines, { timeout: timeoutMs }) ?? [
    { count: oldLines.length, added: false, removed: true, value: oldLines },
    { count: newLines.length, added: true, removed: false, value: newLines },
  ]
  let [oldLine, newLine] = [1, 1]
  const lines = changes.flatMap(({ added, removed, value }) =>
    value.map((text): DiffViewLine => {
      if (removed) return { kind: 'removed', text, oldLine: oldLine++ }
      if (added) return { kind: 'added', text, newLine: newLine++ }
      return { kind: 'same', text, oldLine: oldLine++, newLine: newLine++ }
    }),
  )
  return collapseUnchangedLines(lines)
}
