import type { ConnectionView } from '@shared/contract'
import { Cable, Check, ClipboardPaste, Ellipsis, FlaskConical } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Facts, Row, RowMark } from '../../ui/rows'
import styles from './connections.module.css'
import { useDrafts } from './drafts'
import { countServices, partsSetUp } from './parts'
import { showPath } from './paths'
import { RemoveDialog } from './remove-dialog'
import { SecretDialog } from './secret-dialog'
import { SecretState, secretKind } from './secret-state'
import { countTests, useTestsOf } from './tests'
import { useConnectionMenu, useUse } from './use-connection-menu'

/** The facts of a connection in one line: how much is set up, how it signs in, where its secret is, what its tests gave. */
function Summary({ connection }: { readonly connection: ConnectionView }) {
  const { t } = useTranslation('connections')
  const { data: sandbox } = useCall('sandbox.get', {}, { enabled: connection.isBuiltIn })
  const { count, done, failed } = countTests(partsSetUp(connection), useTestsOf(connection.id))
  const isTested = count > 0 && done === count
  const kind = connection.tokenSource?.kind ?? 'none'
  return (
    <Facts
      items={[
        t('services', countServices(connection)),
        t(`sources.${kind}`),
        connection.isBuiltIn && sandbox?.state === 'stopped' ? t('sandbox.stopped') : null,
        secretKind(connection) === undefined ? null : <SecretState key="secret" connection={connection} />,
        isTested ? (
          <span key="tests" className={failed > 0 ? styles.bad : styles.good}>
            {failed > 0 ? t('test.summaryBad', { failed, count }) : t('test.summaryGood', { count })}
          </span>
        ) : null,
      ]}
    />
  )
}

function Badges({ connection }: { readonly connection: ConnectionView }) {
  const { t } = useTranslation('connections')
  const hasDraft = useDrafts(({ drafts }) => drafts[connection.id] !== undefined)
  return (
    <>
      {connection.isActive ? (
        <Badge tone="accent" icon={Check}>
          {t('inUse')}
        </Badge>
      ) : null}
      {connection.isBuiltIn ? <Badge>{t('builtIn')}</Badge> : null}
      {hasDraft ? <Badge tone="warning">{t('unsaved')}</Badge> : null}
    </>
  )
}

/** One connection of the list, with what can be done about it. */
export function ConnectionRow({ connection }: { readonly connection: ConnectionView }) {
  const { t } = useTranslation('connections')
  const [dialog, setDialog] = useState<'secret' | 'remove'>()
  const use = useUse()
  const items = useConnectionMenu(connection, { onRemove: () => setDialog('remove') })
  const { id, name, isBuiltIn, isActive, secret } = connection
  const Icon = isBuiltIn ? FlaskConical : Cable
  const close = (): void => setDialog(undefined)
  return (
    <>
      <Row
        to={showPath(id)}
        leading={
          <RowMark>
            <Icon size={15} strokeWidth={1.75} />
          </RowMark>
        }
        title={name}
        badge={<Badges connection={connection} />}
        description={<Summary connection={connection} />}
        trailing={
          <>
            {secret === 'missing' && !isBuiltIn ? (
              <Button size="sm" icon={ClipboardPaste} onClick={() => setDialog('secret')}>
                {t(secretKind(connection) === 'pasted' ? 'secret.pasteToken' : 'secret.pasteSecret')}
              </Button>
            ) : null}
            {isActive ? null : (
              <Button size="sm" aria-label={t('useNamed', { name })} onClick={() => use(connection)}>
                {t('use')}
              </Button>
            )}
            <Menu align="end" trigger={<IconButton icon={Ellipsis} label={t('actions', { name })} />} items={items} />
          </>
        }
      />
      {dialog === 'secret' ? <SecretDialog connection={connection} onClose={close} /> : null}
      {dialog === 'remove' ? <RemoveDialog connection={connection} onClose={close} /> : null}
    </>
  )
}
