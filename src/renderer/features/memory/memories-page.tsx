import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Page, PageHeader } from '../../ui/page'
import { useActiveConnection } from '../connections/use-connections'
import { ActionDialog } from '../resources/action-dialog'
import { CreateButton, CreateSheet } from '../resources/create-thing'
import type { Subject } from '../resources/resource'
import { ResourceList } from '../resources/resource-list'
import { ServiceGate } from '../resources/service-gate'
import { useText } from '../resources/use-text'
import { deletionOf, memories } from './memories'

/** All memories of the connection in use. */
export function MemoriesPage() {
  const { t } = useTranslation('memory')
  const text = useText()
  const active = useActiveConnection()
  const [leaving, setLeaving] = useState<Subject>()
  return (
    <Page width="wide">
      <PageHeader
        title={text(memories.words.title)}
        state={[t('state'), active && t('from', { connection: active.name })].filter(Boolean).join(' · ')}
        actions={<CreateButton resource={memories} />}
      />
      <ServiceGate address={memories.address}>
        {(connection) => (
          <>
            <ResourceList
              resource={memories}
              connection={connection}
              emptyAction={<CreateButton resource={memories} />}
              onDo={(_, subject) => {
                setLeaving(subject)
                return true
              }}
            />
            <CreateSheet resource={memories} connection={connection} />
            {leaving ? (
              <ActionDialog
                resource={memories}
                connection={connection}
                subject={leaving}
                action={deletionOf(leaving.row)}
                onClose={() => setLeaving(undefined)}
                onDone={() => setLeaving(undefined)}
              />
            ) : null}
          </>
        )}
      </ServiceGate>
    </Page>
  )
}
