import type { PlaygroundTarget } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import type { TargetKind } from '../playground/targets'
import styles from './inference.module.css'

/** Where completions and embeddings are asked for. */
export const places: readonly TargetKind[] = ['platform', 'local']

/** Why plans are not offered here; for as long as nothing is chosen. */
export function TargetNotice({ target }: { readonly target: PlaygroundTarget | undefined }) {
  const { t } = useTranslation('inference')
  return target ? null : <p className={styles.note}>{t('noPlans')}</p>
}
