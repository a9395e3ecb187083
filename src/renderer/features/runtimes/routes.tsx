import { Navigate, Route, Routes } from 'react-router'
import { CheckPage } from '../containers/check-page'
import { runtimesPath } from './paths'
import { RuntimePage } from './runtime-page'
import { RuntimesPage } from './runtimes-page'

/** The pages of agent runtimes, and the check of a container that is to become one. */
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
