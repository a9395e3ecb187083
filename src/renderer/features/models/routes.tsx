import { Navigate, Route, Routes } from 'react-router'
import { KeyPage, KeysPage } from './key-pages'
import { ModelPage, ModelsPage } from './model-pages'
import { models } from './models'

/** The pages of models and platform API keys. */
export function ModelsRoutes() {
  return (
    <Routes>
      <Route index element={<Navigate to={models.at} replace />} />
      <Route path="list" element={<ModelsPage />} />
      <Route path="list/:id" element={<ModelPage />} />
      <Route path="keys" element={<KeysPage />} />
      <Route path="keys/:id" element={<KeyPage />} />
      <Route path="*" element={<Navigate to={models.at} replace />} />
    </Routes>
  )
}
