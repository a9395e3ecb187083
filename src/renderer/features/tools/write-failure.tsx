import type { Failure } from '@shared/failure'
import type { ComponentProps } from 'react'
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
      <Callout tone="warning" title={t('changedMeanwhile')}>
        {t('changedMeanwhileText')}
      </Callout>
    )
  }
  return (
    <>
      <ExplainedFailure failure={failure} {...rest} />
      {isMany ? <p className={styles.outcome}>{t('many.nothingWritten')}</p> : null}
    </>
  )
}
