import { GitCompareArrows, ListRestart, Play, Square, X } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { IconButton } from '../../../ui/icon-button'
import { SegmentedControl } from '../../../ui/radio-cards'
import { InlineDetails } from '../../../ui/rows'
import { ProgressBar } from '../../../ui/skeleton'
import { isRunActive } from '..'
import { estimateByModel, listOpenCells, listRunnableCells } from './cells'
import { useIsMarkdown, useSetup } from './editing'
import type { ComparisonRuns } from './use-comparison-runs'

type TokenField = 'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens'

function Sums({ runs }: Pick<ComparisonRuns, 'runs'>) {
  const { t } = useTranslation('compare')
  const { count, number } = useFormats()
  if (runs.length === 0) return null
  const endedRuns = runs.filter((run) => !isRunActive(run))
  const sumTokens = (...names: readonly TokenField[]): number =>
    endedRuns.flatMap((run) => names.map((name) => run[name] ?? 0)).reduce((sum, tokens) => sum + tokens, 0)
  const [input, output, cache] = [
    sumTokens('inputTokens'),
    sumTokens('outputTokens'),
    sumTokens('cacheReadTokens', 'cacheWriteTokens'),
  ]
  const failedCount = endedRuns.filter(({ state }) => state === 'failed').length
  const uncountedCount = endedRuns.filter(
    ({ state, inputTokens, outputTokens }) => state !== 'failed' && (inputTokens ?? outputTokens) === undefined,
  ).length
  return (
    <InlineDetails
      items={[
        <span
          key="tokens"
          title={t('sums.formula', { input: number(input), output: number(output), cache: number(cache) })}
        >
          {t('sums.tokens', { tokens: count(input + output + cache).short })}
        </span>,
        failedCount > 0 && <span className="text-danger">{t('sums.failed', { count: failedCount })}</span>,
        uncountedCount > 0 && (
          <span title={t('sums.uncountedHint')}>{t('sums.uncounted', { count: uncountedCount })}</span>
        ),
      ]}
    />
  )
}

/** Estimated tokens of all cells. */
function Estimate({ cells }: Pick<ComparisonRuns, 'cells'>) {
  const { t } = useTranslation('compare')
  const { count } = useFormats()
  const setup = useSetup((currentSetup) => currentSetup)
  const estimates = useMemo(() => estimateByModel(setup, listRunnableCells(setup), cells), [setup, cells])
  if (estimates.length === 0) return null
  const inputTokens = estimates.reduce((sum, estimate) => sum + estimate.inputTokens, 0)
  const outputTokens = estimates.reduce((sum, estimate) => sum + (estimate.outputTokens ?? 0), 0)
  return (
    <span className="text-muted text-sm tabular-nums" title={t('estimate.hint')}>
      {estimates.some((estimate) => estimate.outputTokens === undefined)
        ? t('estimate.input', { tokens: count(inputTokens).short })
        : t('estimate.tokens', { tokens: count(inputTokens + outputTokens).short })}
    </span>
  )
}

export function RunBar(props: {
  readonly running: ComparisonRuns
  readonly onRun: (scope: 'all' | 'open') => void
  /** Name of the selected answer, to which a second one will be compared. */
  readonly picked: string | undefined
  readonly onClearPicked: () => void
}) {
  const { running, onRun, picked, onClearPicked } = props
  const { t } = useTranslation('compare')
  const setup = useSetup((currentSetup) => currentSetup)
  const [isMarkdown, setIsMarkdown] = useIsMarkdown()
  const cellCount = listRunnableCells(setup).length
  const { cells, runs, isActive, progress } = running
  const openCellCount = listOpenCells(setup, cells).length
  const progressText = t('run.progress', progress)
  return (
    <div className="sticky top-0 left-0 z-4 flex h-13 w-[100cqi] items-center gap-3 bg-page px-5">
      <div className="flex flex-none items-center gap-3">
        <Button
          variant="primary"
          icon={Play}
          busy={running.isStarting}
          disabled={cellCount === 0}
          title={cellCount === 0 ? t('run.nothing') : undefined}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onClick={() => onRun('all')}
        >
          {t('run.all', { count: cellCount })}
        </Button>
        {runs.length > 0 && openCellCount > 0 && !isActive ? (
          <Button icon={ListRestart} title={t('run.openHint')} onClick={() => onRun('open')}>
            {t('run.open', { count: openCellCount })}
          </Button>
        ) : null}
        {isActive ? (
          <>
            <Button icon={Square} onClick={running.stopAll}>
              {t('run.stop')}
            </Button>
            <span className="inline-flex items-center gap-2 text-muted text-sm tabular-nums" role="status">
              <span className="w-24">
                <ProgressBar value={progress.count === 0 ? 0 : progress.done / progress.count} label={progressText} />
              </span>
              {progressText}
            </span>
          </>
        ) : (
          <Estimate cells={cells} />
        )}
      </div>
      {picked === undefined ? null : (
        <span
          className={joinClassNames(
            'inline-flex h-8 min-w-0 items-center gap-1.5 rounded-md border border-accent-line',
            'bg-accent-soft pr-0.5 pl-2.5 text-sm',
          )}
          role="status"
        >
          <GitCompareArrows size={14} aria-hidden="true" />
          <span className="truncate">{t('diff.pickSecond', { name: picked })}</span>
          <IconButton size="sm" icon={X} label={t('diff.stop')} onClick={onClearPicked} />
        </span>
      )}
      <span className="min-w-0 flex-1 truncate text-right text-muted text-sm tabular-nums">
        <Sums runs={runs} />
      </span>
      <div className="flex-none">
        <SegmentedControl
          label={t('look.label')}
          value={isMarkdown ? 'markdown' : 'plain'}
          onValueChange={(value) => setIsMarkdown(() => value === 'markdown')}
          segments={[
            { value: 'markdown', label: t('look.markdown') },
            { value: 'plain', label: t('look.plain') },
          ]}
        />
      </div>
    </div>
  )
}
