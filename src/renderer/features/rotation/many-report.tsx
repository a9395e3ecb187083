import type { RotationView } from '@shared/contract'
import { RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { Badge } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Section } from '../../ui/page'
import { Facts, Row, RowMark, Rows } from '../../ui/rows'
import { ProgressBar } from '../../ui/spinner'
import { registerPath } from '../register/paths'
import { setupKey } from '../tools/sites'
import { rotationPath } from './paths'
import { failureOf, needsPerson, placeOf, stateTones } from './progress'
import { isKeyGone, RestartCallout } from './restart-note'
import type { RotatableKey } from './rotatable'
import styles from './rotation.module.css'
import { useStepWords } from './use-step-words'

/** A key that was asked for, and the rotation of it once it was begun. */
export interface Reported {
  readonly of: RotatableKey
  readonly rotation: RotationView | undefined
  /** It has a page: one that could not be begun has none. */
  readonly isListed: boolean
}

interface ReportProps {
  readonly rows: readonly Reported[]
  /** Main is through with all of them. */
  readonly isOver: boolean
}

/** Through: main has nothing more to do with it now, and no person either. */
const isThrough = ({ rotation }: Reported): boolean =>
  rotation !== undefined && (rotation.state === 'waiting' || rotation.state === 'done')

function ReportRow({ row, isOver }: { readonly row: Reported; readonly isOver: boolean }) {
  const { t } = useTranslation('rotation')
  const explain = useFailureWords()
  const stepWords = useStepWords()
  const { of, rotation, isListed } = row
  const failure = rotation && failureOf(rotation)
  const { at, count, step } = rotation ? placeOf(rotation) : { at: 0, count: 0, step: undefined }
  return (
    <Row
      leading={
        <RowMark>
          <RotateCw size={14} strokeWidth={1.8} />
        </RowMark>
      }
      title={of.key.name}
      {...(rotation && isListed ? { to: rotationPath(rotation.id) } : {})}
      description={
        <>
          <Facts
            items={[
              of.plan.name,
              rotation?.state === 'running' && step && t('view.progress', { at, count, step: stepWords(step) }),
              !rotation && t(isOver ? 'many.notRotated' : 'many.turn'),
            ]}
          />
          {rotation && needsPerson(rotation) && failure ? (
            <p className={styles.problem}>{explain(failure, { plan: of.plan.name }).title}</p>
          ) : null}
        </>
      }
      trailing={
        rotation ? (
          <>
            <Badge tone={stateTones[rotation.state]}>{t(`states.${rotation.state}`)}</Badge>
            {needsPerson(rotation) && isListed ? (
              <ButtonLink
                size="sm"
                to={rotationPath(rotation.id)}
                aria-label={t('many.lookNamed', { key: of.key.name })}
              >
                {t('many.look')}
              </ButtonLink>
            ) : null}
          </>
        ) : null
      }
    />
  )
}

/** The tools of those that are through, each once. */
const toolsOf = (rows: readonly Reported[]): RotationView['tools'] => {
  const tools = rows.flatMap(({ rotation }) => (rotation && isKeyGone(rotation) ? rotation.tools : []))
  return [...new Map(tools.map((tool) => [setupKey(tool.toolId, tool.site), tool])).values()]
}

/** How the rotations of several keys went, or are going: one row for each key that was asked for. */
export function ManyReport({ rows, isOver }: ReportProps) {
  const { t } = useTranslation('rotation')
  const count = rows.length
  const done = rows.filter(isThrough).length
  return (
    <>
      {isOver ? (
        <Callout
          tone={done === count ? 'success' : 'warning'}
          title={done === count ? t('many.finished', { count }) : t('many.finishedSome', { done, count })}
          actions={
            <ButtonLink size="sm" to={registerPath}>
              {t('many.again')}
            </ButtonLink>
          }
        />
      ) : (
        <div className={styles.progress} role="status">
          <ProgressBar value={done / count} label={t('many.report')} />
          <span className="tabular">{t('many.progress', { ended: done, count })}</span>
        </div>
      )}
      {isOver ? <RestartCallout when="after" tools={toolsOf(rows)} /> : null}
      <Section title={t('many.report')}>
        <Rows label={t('many.report')}>
          {rows.map((row) => (
            <ReportRow key={`${row.of.planId} ${row.of.keyId}`} row={row} isOver={isOver} />
          ))}
        </Rows>
      </Section>
    </>
  )
}
