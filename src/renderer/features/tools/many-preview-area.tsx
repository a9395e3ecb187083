import type { ManyPreview, ToolChanges, ToolView } from '@shared/contract'
import type { ReactNode } from 'react'
import { ManyChanges } from './many-changes'
import { Waiting } from './preview-area'
import styles from './preview-area.module.css'
import type { Shown } from './use-preview'

interface ManyPreviewAreaProps {
  readonly shown: Shown<ManyPreview>
  readonly tools: readonly ToolView[]
  /** The failure in words, when there is one. */
  readonly failure?: ReactNode
  /** What to say when there is nothing to ask for yet. */
  readonly missing?: string | undefined
  readonly notesOf?: (changes: ToolChanges) => ReactNode
}

/** The changes of several tools; they fade while newer ones are on their way. */
export function ManyPreviewArea({ shown, tools, failure, missing, notesOf }: ManyPreviewAreaProps) {
  const { preview, isOld } = shown
  if (failure) return failure
  if (missing !== undefined) return <p className={styles.missing}>{missing}</p>
  if (!preview) return <Waiting />
  return (
    <div className={isOld ? styles.old : styles.shown} aria-busy={isOld}>
      <ManyChanges preview={preview} tools={tools} {...(notesOf && { notesOf })} />
    </div>
  )
}
