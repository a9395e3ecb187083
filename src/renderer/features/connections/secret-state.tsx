import type { ConnectionView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import styles from './connections.module.css'
import { needsSecret } from './entries'

/** The way to sign in when it takes a secret that is kept apart. */
export function secretKind({ tokenSource }: ConnectionView): 'client-credentials' | 'pasted' | undefined {
  const kind = tokenSource?.kind ?? 'none'
  return needsSecret(kind) ? kind : undefined
}

/** Where the secret of a connection is, in words; nothing when it needs none. */
export function SecretState({ connection }: { readonly connection: ConnectionView }) {
  const { t } = useTranslation('connections')
  const kind = secretKind(connection)
  if (kind === undefined || connection.secret === 'none') return null
  return <span className={styles[connection.secret]}>{t(`kept.${kind}.${connection.secret}`)}</span>
}
