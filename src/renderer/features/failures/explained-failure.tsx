import type { Failure } from '@shared/failure'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Code } from '../../ui/code'
import type { FailureContext, RemedyAction } from './explain-failure'
import styles from './explained-failure.module.css'

/** What the page can do about a failure; a remedy without a handler is told in words only. */
export type RemedyHandlers = { readonly [A in RemedyAction]?: (() => void) | undefined }

interface ExplainedFailureProps {
  readonly failure: Failure
  readonly context?: FailureContext | undefined
  readonly handlers?: RemedyHandlers | undefined
  /** The remedy is under way. */
  readonly busy?: boolean | undefined
  readonly tone?: 'danger' | 'warning'
  /** More buttons, before the remedy's. */
  readonly actions?: ReactNode
}

function Details({ failure, context = {} }: { failure: Failure; context?: FailureContext | undefined }) {
  const { t } = useTranslation('failures')
  const rows = [
    [t('details.status'), context.status === undefined ? undefined : String(context.status)],
    [t('details.address'), context.requestAddress],
    [t('details.requestId'), failure.requestId],
    [t('details.code'), failure.code],
  ] as const
  return (
    <dl className={styles.details}>
      {rows.map(([label, value]) =>
        value === undefined ? null : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <Code quiet wrap>
                {value}
              </Code>
            </dd>
          </div>
        ),
      )}
      <div>
        <dt>{t('details.message')}</dt>
        <dd lang="en">{failure.message}</dd>
      </div>
    </dl>
  )
}

/** A failure in words: what happened, why, what to do, the button that does it, and the technical part folded. */
export function ExplainedFailure(props: ExplainedFailureProps) {
  const { failure, context, handlers = {}, busy = false, tone = 'danger', actions } = props
  const { t } = useTranslation('failures')
  const { title, explanation, remedy, action, also } = useFailureWords()(failure, context)
  const act = action && handlers[action]
  const actAlso = also && handlers[also]
  return (
    <Callout
      tone={tone}
      title={title}
      details={<Details failure={failure} context={context} />}
      actions={
        actions || act || actAlso ? (
          <>
            {actions}
            {actAlso ? (
              <Button size="sm" variant="ghost" onClick={actAlso} busy={busy && !act}>
                {t(`actions.${also}`)}
              </Button>
            ) : null}
            {act ? (
              <Button size="sm" onClick={act} busy={busy}>
                {t(`actions.${action}`)}
              </Button>
            ) : null}
          </>
        ) : null
      }
    >
      <p>{explanation}</p>
      <p className={styles.remedy}>{remedy}</p>
    </Callout>
  )
}
