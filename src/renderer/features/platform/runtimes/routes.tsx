import { useMemo } from 'react'
import { Navigate, Route, Routes } from 'react-router'
import { runtimesPath } from '../../../paths'
import { useActiveConnection } from '../../connections'
import type { Resource } from '../resources'
import { ResourceListPage, SavedSecretList, useCreateFormState } from '../resources'
import { CheckPage } from './check-page'
import { RuntimePage, runtimeDialogs, useFlavors } from './runtime-page'
import { addFlavorOptions, createRuntime, newFields, runtimes, runtimesSection } from './runtimes'

export function RuntimesRoutes() {
  return (
    <Routes>
      <Route index element={<RuntimesPage />} />
      <Route path="check" element={<CheckPage />} />
      <Route path=":id" element={<RuntimePage />} />
      <Route path=":id/:tab" element={<RuntimePage />} />
      <Route path="*" element={<Navigate to={runtimesPath} replace />} />
    </Routes>
  )
}

function RuntimesPage() {
  const connection = useActiveConnection()
  const { isCreating } = useCreateFormState()
  const choices = useFlavors(connection, isCreating)
  const resource = useMemo(
    (): Resource => ({ ...runtimes, create: { ...createRuntime, fields: addFlavorOptions(newFields, choices) } }),
    [choices],
  )
  return (
    <ResourceListPage
      section={runtimesSection}
      resource={resource}
      dialogs={runtimeDialogs}
      below={<SavedSecretList secretKinds={['serviceAccount']} description={(t) => t('runtimes:reset.keptText')} />}
    />
  )
}
