import type { Failure } from '@shared/failure'
import { type ComponentProps, type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './set-up.module.css'

interface WriteFailureProps extends Pick<ComponentProps<typeof ExplainedFailure>, 'context' | 'handlers' | 'busy'> {
  readonly failure: Failure | undefined
  /** Several tools were to be written, and none was. */
  readonly isMany?: boolean
}

/** Why nothing was written; a file that changed meanwhile is no more than a new preview to look at. */
export function WriteFailure({ failure, isMany = false, ...rest }: WriteFailureProps) {
  const { t } = useTranslation('tools')
  if (!failure) return null
  if (failure.code === 'file.changed') {
    return (
      <InView>
        <Callout tone="warning" title={t('changedMeanwhile')}>
          {t('changedMeanwhileText')}
        </Callout>
      </InView>
    )
  }
  return (
    <InView>
      <ExplainedFailure failure={failure} {...rest} />
      {isMany ? <p className={styles.outcome}>{t('many.nothingWritten')}</p> : null}
    </InView>
  )
}

/** Scrolls to what it shows once it is there: the button that was pressed is at the foot of the window, wherever the page is scrolled to. */
function InView({ children }: { readonly children: ReactNode }) {
  const part = useRef<HTMLDivElement>(null)
  useEffect(() => part.current?.scrollIntoView({ block: 'center' }), [])
  return <div ref={part}>{children}</div>
}
