"""Every field of the facts: its kind and what it holds. Schemas and the page are made from this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

TEXT, FLAG, COUNT, NUMBER = "text", "flag", "count", "number"
TEXTS, TABLE, RECORD, RECORDS, ANY = "texts", "table", "record", "records", "any"


@dataclass(frozen=True)
class Field:
    """One field. ``fields`` are those of a record; ``values`` the only texts there can be."""

    name: str
    kind: str
    about: str
    fields: tuple[Field, ...] = ()
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Section:
    """One section of the facts. ``kind`` is ``record``, or ``table`` for packages."""

    name: str
    scope: str
    about: str
    fields: tuple[Field, ...] = field(default=())
    kind: str = RECORD


def section(name: str) -> Optional[Section]:
    """The section of that name, None where there is none."""
    return next((item for item in SECTIONS if item.name == name), None)


_VERSION = (Field("version", TEXT, "version as the program gives it"),)
_COMPILER = (
    Field("command", TEXT, "program that answered"),
    Field("family", TEXT, "kind of compiler", values=("gcc", "clang")),
    *_VERSION,
)
_SYSTEM = (
    Field("kernel", TEXT, "kernel release"),
    Field("machine", TEXT, "machine type, such as x86_64"),
    Field(
        "distribution",
        RECORD,
        "/etc/os-release",
        (
            Field("id", TEXT, "short name"),
            Field("version", TEXT, "version, `unknown` where it has none"),
            Field("name", TEXT, "full name"),
        ),
    ),
    Field("virtualisation", TEXT, "hypervisor of this virtual machine, or `none`"),
    Field("container", TEXT, "kind of container this is, or `none`"),
    Field("cpu_model", TEXT, "model of the first CPU"),
    Field("cpus", COUNT, "CPUs that this process may use"),
    Field("cpu_quota", NUMBER, "CPUs' worth of time that the control group grants"),
    Field("governor", TEXT, "frequency governor of the first CPU"),
    Field("memory_bytes", COUNT, "memory in all"),
    Field("memory_available_bytes", COUNT, "memory that could be had now"),
    Field("swap_bytes", COUNT, "swap in all"),
    Field("shared_memory_bytes", COUNT, "size of /dev/shm"),
    Field("clock_synchronised", FLAG, "whether something keeps the kernel's clock right"),
    Field("secure_boot", FLAG, "whether the firmware checks signatures"),
    Field("modules", TEXTS, "loaded modules among nvidia's and nouveau"),
    Field("nvidia_module_kernels", TEXTS, "kernels that have an nvidia module installed"),
    Field(
        "pci_gpus",
        RECORDS,
        "NVIDIA display devices on the PCI bus",
        (Field("id", TEXT, "vendor and device id"), Field("driver", TEXT, "driver, or `none`")),
    ),
    Field("wsl_gpu", FLAG, "whether /dev/dxg is there"),
    Field(
        "xids",
        RECORDS,
        "Xid events in the kernel log of this boot",
        (
            Field("code", COUNT, "the Xid's number"),
            Field("pci", TEXT, "PCI address of the card"),
            Field("count", COUNT, "how often"),
        ),
    ),
    Field(
        "disks",
        RECORDS,
        "writable disks, the roomiest first",
        (
            Field("path", TEXT, "where it is mounted"),
            Field("kind", TEXT, "file system"),
            Field("free_bytes", COUNT, "bytes free for ordinary users"),
        ),
    ),
)
_DEVICE = (
    Field("name", TEXT, "product name"),
    Field("uuid", TEXT, "UUID, only with --identify"),
    Field("pci_id", TEXT, "vendor and device id, 10de:2685 for a 4090 D"),
    Field("compute_capability", TEXT, "such as 8.9"),
    Field("cores", COUNT, "FP32 lanes"),
    Field("memory_bus_bits", COUNT, "width of the memory bus"),
    Field("memory_bytes", COUNT, "memory in all"),
    Field("memory_used_bytes", COUNT, "memory in use"),
    Field("persistence", FLAG, "persistence mode"),
    Field("compute_mode", TEXT, "default, exclusive process or prohibited"),
    Field("mig", FLAG, "MIG mode"),
    Field("ecc", FLAG, "ECC mode"),
    Field("uncorrected_errors", COUNT, "uncorrected ECC errors since the driver was loaded"),
    Field(
        "remapped_rows",
        RECORD,
        "memory rows that were replaced",
        (
            Field("corrected", COUNT, "after correctable errors"),
            Field("uncorrected", COUNT, "after uncorrectable errors"),
            Field("pending", FLAG, "a replacement waits for a reset"),
            Field("failed", FLAG, "a replacement failed"),
        ),
    ),
    Field("processes", COUNT, "compute processes on it"),
    Field("power_limit_w", NUMBER, "power limit, watts"),
    Field("power_default_w", NUMBER, "the card's own power limit, watts"),
    Field("power_draw_w", NUMBER, "power now, watts"),
    Field("temperature_c", NUMBER, "temperature, degrees Celsius"),
    Field("temperature_slowdown_c", NUMBER, "temperature at which it slows down"),
    Field("fan_percent", NUMBER, "fan speed; cards without a fan have none"),
    Field("sm_clock_mhz", NUMBER, "SM clock now"),
    Field("sm_clock_max_mhz", NUMBER, "highest SM clock"),
    Field("sm_clock_set_mhz", NUMBER, "application clock that is set"),
    Field("sm_clock_set_default_mhz", NUMBER, "the card's own application clock"),
    Field("throttle_reasons", TEXTS, "what holds the clocks back now"),
    Field("performance_state", COUNT, "0 (most) to 15 (least)"),
    Field("utilisation_percent", NUMBER, "share of time in which a kernel ran"),
    Field("pcie_generation", COUNT, "PCIe generation now"),
    Field("pcie_generation_max", COUNT, "the highest that card and slot can"),
    Field("pcie_width", COUNT, "PCIe lanes now"),
    Field("pcie_width_max", COUNT, "the most that card and slot can"),
)
_NVIDIA = (
    Field("source", TEXT, "who answered", values=("nvml", "nvidia-smi")),
    Field("state", TEXT, "whether the driver answers", values=("ok", "absent", "failed")),
    Field("text", TEXT, "what was said where it does not answer"),
    Field("driver_version", TEXT, "full version"),
    Field("cuda_level", TEXT, "the newest CUDA that the driver offers"),
    Field("devices", RECORDS, "every GPU", _DEVICE),
    Field("module_version", TEXT, "full version of the loaded kernel module"),
    Field("library_versions", TEXTS, "full versions of libcuda in the system's folders"),
    Field("nvml_library_versions", TEXTS, "full versions of libnvidia-ml there"),
    Field("nodes", TEXTS, "/dev/nvidia*"),
)
_DOCKER = (
    Field(
        "state",
        TEXT,
        "state of the engine",
        values=("ok", "absent", "denied", "dead", "unreachable", "unanswered"),
    ),
    Field("text", TEXT, "what was said where it is not `ok`"),
    Field("endpoint", TEXT, "local socket, or DOCKER_HOST and its scheme"),
    Field("snap", FLAG, "whether it comes from snap"),
    Field("toolkit", TEXTS, "programs of the NVIDIA container toolkit on PATH"),
    Field("cdi_specs", TEXTS, "CDI files that name nvidia.com/gpu"),
    Field("server_version", TEXT, "version of the engine"),
    Field("client_version", TEXT, "version of the command"),
    Field("storage_driver", TEXT, "such as overlay2"),
    Field("cgroup_driver", TEXT, "cgroupfs, systemd or none"),
    Field("cgroup_version", TEXT, "1 or 2"),
    Field("limits", TEXTS, "what containers can be bounded in: memory, swap, pids, cpu"),
    Field("runtimes", TEXTS, "registered runtimes"),
    Field("cdi_folders", TEXTS, "folders in which the engine looks for CDI files"),
    Field("mirrors", TEXTS, "registry mirrors, hosts left out"),
    Field("buildx", TEXT, "version of the plug-in, or `none`"),
    Field("data_root", TEXT, "folder of images and containers"),
    Field("free_bytes", COUNT, "free there"),
    Field("free_inodes", COUNT, "free there"),
    Field(
        "gpu_probe",
        RECORD,
        "what a container that looks for the card said",
        (
            Field("way", TEXT, "how the card was handed in", values=("gpus", "cdi", "runtime")),
            Field("returncode", NUMBER, "exit status"),
            Field("text", TEXT, "what it printed"),
        ),
    ),
)
_PYTHON = (
    Field("version", TEXT, "running interpreter"),
    Field("prefix", TEXT, "folder of the environment"),
    Field("headers", TEXT, "path of Python.h"),
    Field("pkg_resources", FLAG, "whether it can be imported"),
    Field("shared_memory_bytes", COUNT, "size of /dev/shm"),
    Field("variables", TABLE, "environment variables that change what torch does"),
)
_TOOLS = (
    Field(
        "nvcc",
        RECORD,
        "CUDA compiler, found as torch finds it",
        (
            Field("path", TEXT, "the program"),
            Field("found_by", TEXT, "variable or folder that led to it"),
            *_VERSION,
            Field("host_compiler", RECORD, "the g++ that it is told to use", _COMPILER),
        ),
    ),
    Field("cxx", RECORD, "C++ compiler", _COMPILER),
    Field("cc", RECORD, "C compiler", _COMPILER),
    Field(
        "ninja",
        RECORD,
        "ninja, run",
        (
            Field("package", TEXT, "version of the package"),
            Field("beside_python", FLAG, "whether the program lies beside the interpreter"),
            Field("answer", TEXT, "what `ninja --version` says"),
        ),
    ),
)
_TORCH_DEVICE = (
    Field("name", TEXT, "product name"),
    Field("capability", TEXT, "such as 8.9"),
    Field("operation", TEXT, "`ok`, or what came out of an exact product"),
    Field("convolution", TEXT, "`ok`, or what came out of an exact convolution"),
)
_TORCH = (
    Field("import", TEXT, "`ok` or the error"),
    Field("version", TEXT, "torch.__version__"),
    Field("cuda", TEXT, "torch.version.cuda, or `none`"),
    Field("arch_list", TEXTS, "architectures that torch has code for"),
    Field("compile", FLAG, "whether it has torch.compile"),
    Field("pkg_resources_needed", FLAG, "whether its cpp_extension imports pkg_resources"),
    Field("arch_variable", TEXT, "`unset`, `ok`, or torch's error on TORCH_CUDA_ARCH_LIST"),
    Field("threads", COUNT, "threads that it starts"),
    Field("cudnn", COUNT, "version number of the loaded cuDNN"),
    Field("cudnn_built", TEXT, "cuDNN that it was compiled with"),
    Field("cuda_loaded", TEXT, "CUDA of the runtime library that got loaded"),
    Field("operation_cpu", TEXT, "`ok`, or what came out of an exact product"),
    Field("numpy", TEXT, "`ok`, or what came out of the round trip"),
    Field("available", TEXT, "`ok`, or why torch sees no CUDA"),
    Field("devices", RECORDS, "every card that torch sees", _TORCH_DEVICE),
    Field("libraries", TEXTS, "CUDA libraries that got loaded"),
    Field("nms", TEXT, "`ok`, or what came out of torchvision's nms"),
    Field("audio", TEXT, "`ok`, or the error of importing torchaudio"),
    Field("addons", TABLE, "installed add-ons: `ok` or their error"),
)
_LIBRARIES = (
    Field(
        "libcuda",
        RECORDS,
        "driver libraries in the loader's folders",
        (Field("path", TEXT, "file"), *_VERSION),
    ),
    Field("on_library_path", TEXTS, "CUDA libraries that LD_LIBRARY_PATH puts first"),
)
_EXTENSION = (Field("builds", ANY, "build.json of every build of the custom kernels"),)
SECTIONS = (
    Section("system", "host", "the machine", _SYSTEM),
    Section("nvidia", "both", "driver and GPUs", _NVIDIA),
    Section("docker", "host", "the Docker engine", _DOCKER),
    Section("python", "environment", "the interpreter", _PYTHON),
    Section("packages", "environment", "name and version of what is installed", kind=TABLE),
    Section("torch", "environment", "torch, asked in a process of its own", _TORCH),
    Section("tools", "environment", "compilers and ninja, asked by running them", _TOOLS),
    Section("libraries", "environment", "library files that may get in the way", _LIBRARIES),
    Section("extension", "environment", "the custom kernels", _EXTENSION),
    Section("active", "active", "devices under load, with their time line", kind=ANY),
)
