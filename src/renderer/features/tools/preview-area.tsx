import type { PreviewView } from '@shared/contract'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { FileChanges } from './file-changes'
import styles from './preview-area.module.css'
import type { Shown } from './use-preview'

const widths = ['38%', '62%', '54%', '70%', '46%', '30%']

/** Stands where a diff will be. */
export function Waiting() {
  const { t } = useTranslation('tools')
  return (
    <Card>
      <div className={styles.waiting} role="status">
        <span className="sr-only">{t('preparing')}</span>
        {widths.map((width) => (
          <Skeleton key={width} width={width} />
        ))}
      </div>
    </Card>
  )
}

interface PreviewAreaProps {
  readonly shown: Shown<PreviewView>
  /** The failure in words, when there is one. */
  readonly failure: ReactNode
  /** What to say when there is nothing to ask for yet. */
  readonly missing?: string | undefined
}

/** The files of a preview; fades while a newer one is on its way. */
export function PreviewArea({ shown, failure, missing }: PreviewAreaProps) {
  const { preview, isOld } = shown
  if (failure) return failure
  if (missing !== undefined) return <p className={styles.missing}>{missing}</p>
  if (!preview) return <Waiting />
  return (
    <div className={isOld ? styles.old : styles.shown} aria-busy={isOld}>
      <FileChanges files={preview.files} />
    </div>
  )
}
