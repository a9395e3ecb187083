import { ChartColumn, CircleCheck, ImageDown, Table2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { IconButton } from '../../ui/icon-button'
import styles from './chart.module.css'
import { ChartTable } from './chart-table-view'
import type { Measure } from './measures'
import { requestsPath } from './paths'
import type { Point } from './points'
import { TimeChart } from './time-chart'
import { useSavePicture } from './use-save-picture'
import type { Usage } from './use-usage'

interface ChartCardProps {
  readonly usage: Usage
  readonly measure: Measure
  readonly points: readonly Point[]
}

function Legend({ measure, isCompared }: { readonly measure: Measure; readonly isCompared: boolean }) {
  const { t } = useTranslation('usage')
  const { parts } = measure
  return (
    <ul className={styles.legend} aria-hidden="true">
      {parts.length === 1
        ? null
        : parts.map(({ id, colour }) => (
            <li key={id}>
              <span className={styles.swatch} style={{ background: colour }} />
              {t(`charts.parts.${id}`)}
            </li>
          ))}
      {isCompared ? (
        <li>
          <span className={styles.line} />
          {t('charts.previous')}
        </li>
      ) : null}
    </ul>
  )
}

/** Opens the requests of a bar; with the console there are none to open. */
function useOpen(usage: Usage, { id }: Measure): ((point: Point) => void) | undefined {
  const navigate = useNavigate()
  if (usage.scope === 'console') return undefined
  return ({ start, end }) =>
    void navigate(
      requestsPath({
        ...usage.wanted,
        since: start.toISOString(),
        until: end.toISOString(),
        onlyErrors: id === 'errors',
      }),
    )
}

/** A chart over time in its frame: legend, the table behind it, and its picture to save. */
export function ChartCard({ usage, measure, points }: ChartCardProps) {
  const { t } = useTranslation('usage')
  const [isTable, setIsTable] = useState(false)
  const body = useRef<HTMLDivElement>(null)
  const savePicture = useSavePicture()
  const open = useOpen(usage, measure)
  const { step, wanted } = usage
  const chart = t(`charts.${measure.id}`)
  const isCalm = measure.id === 'errors' && points.every(({ counts }) => !counts || counts.errors === 0)
  const legend = [...measure.parts.map(({ id, colour }) => ({ name: t(`charts.parts.${id}`), colour }))]
  return (
    <figure className={styles.card} aria-label={chart}>
      <figcaption className={styles.head}>
        <h3 className={styles.title}>{chart}</h3>
        <Legend measure={measure} isCompared={wanted.compare} />
        <div className={styles.actions}>
          {isTable || isCalm ? null : (
            <IconButton
              icon={ImageDown}
              size="sm"
              label={t('charts.savePicture', { chart })}
              onClick={() => savePicture({ frame: body.current, title: chart, legend })}
            />
          )}
          <IconButton
            icon={isTable ? ChartColumn : Table2}
            size="sm"
            label={t(isTable ? 'charts.showChart' : 'charts.showTable', { chart })}
            onClick={() => setIsTable(!isTable)}
          />
        </div>
      </figcaption>
      <div ref={body}>
        {isTable ? (
          <ChartTable {...{ measure, points, step, usage }} caption={chart} />
        ) : isCalm ? (
          <p className={styles.calm}>
            <CircleCheck size={15} strokeWidth={1.9} aria-hidden="true" />
            {t('charts.noErrors')}
          </p>
        ) : (
          <TimeChart title={chart} {...{ measure, points, step }} isCompared={wanted.compare} onOpen={open} />
        )}
      </div>
    </figure>
  )
}
