class Diffprof < Formula
  desc "Compares two method traces of Android apps task by task, by energy"
  homepage "https://github.com/diffprof/diffprof"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "{{.Download}}/{{.Archives.darwin_arm64.Name}}"
      sha256 "{{.Archives.darwin_arm64.SHA256}}"
    end
    on_intel do
      url "{{.Download}}/{{.Archives.darwin_amd64.Name}}"
      sha256 "{{.Archives.darwin_amd64.SHA256}}"
    end
  end
  on_linux do
    on_arm do
      url "{{.Download}}/{{.Archives.linux_arm64.Name}}"
      sha256 "{{.Archives.linux_arm64.SHA256}}"
    end
    on_intel do
      url "{{.Download}}/{{.Archives.linux_amd64.Name}}"
      sha256 "{{.Archives.linux_amd64.SHA256}}"
    end
  end

  def install
    bin.install "diffprof"
    generate_completions_from_executable(bin/"diffprof", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/diffprof version")
  end
end
