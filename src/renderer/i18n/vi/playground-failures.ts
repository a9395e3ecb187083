import type { FailureCodeTexts } from '../en/failure-codes'

/** Words for the failures of the playground, in Vietnamese. */
export const playgroundFailures: Pick<FailureCodeTexts, 'playground'> = {
  playground: {
    notFound: {
      title: 'Mục này không còn trong phần thử nghiệm',
      explanation: 'Mục đã bị xóa, ở đây hoặc trong một cửa sổ khác của ứng dụng.',
      remedy: 'Hãy quay lại danh sách và chọn mục khác.',
    },
    unavailable: {
      title: 'Không dùng được tệp của phần thử nghiệm',
      explanation:
        'Tệp chứa các cuộc trò chuyện, bảng so sánh và prompt không mở được. Nội dung của tệp không bị thay đổi hay mất đi.',
      remedy: 'Hãy thử lại. Nếu vẫn lỗi, hãy kiểm tra ổ đĩa còn chỗ trống và không có chương trình nào đang giữ tệp.',
    },
    noTarget: {
      title: 'Không có nơi nào để hỏi',
      explanation: 'Gói, kết nối hoặc mô hình đã chọn không còn nữa, hoặc không có khóa.',
      remedy: 'Hãy chọn mô hình khác.',
    },
    unreadable: {
      title: 'Tệp này không phải do phần thử nghiệm ghi ra',
      explanation: 'Nội dung không phải là bản xuất các cuộc trò chuyện hay prompt, hoặc chỉ là một phần.',
      remedy: 'Hãy chọn một tệp đã xuất ở dạng JSON.',
    },
  },
}
